package lane_test

import (
	"bytes"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"go.uber.org/zap"
)

// BenchmarkLane is a hit that the lane answers: a body, a compressed one, no body for a client that
// has it, and one behind a proxy. Without TCP it is the time of this program alone.
func BenchmarkLane(b *testing.B) {
	s := facadetest.NewLaneSide(b, facadetest.NewLaneSite(b), true, func(o *proxy.Options, _ *http.Server) {
		o.Log = zap.NewNop()
		o.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("192.0.2.0/24")}
	})
	res, _ := s.Dial().Get(facadetest.LaneTargets[0])
	for _, test := range []struct{ name, field string }{
		{"single", "Accept: */*"},
		{"gzip", "Accept-Encoding: gzip"},
		{"304", "If-None-Match: " + res.Header.Get("Etag")},
		{"proxied", "X-Request-Id: 3f2a9b7c81d04e5f96a7b8c9d0e1f2a3\r\n" + strings.Join(proxytest.Proxied, "\r\n")},
	} {
		b.Run(test.name+"/memory", func(b *testing.B) {
			handled := s.Handled.Load()
			b.ReportAllocs()
			c := &repeating{request: "GET " + facadetest.LaneTargets[0] + " HTTP/1.1\r\nHost: x\r\n" + test.field + "\r\n\r\n", remaining: b.N,
				done: make(chan struct{})}
			b.ResetTimer()
			s.Conns <- c
			<-c.done
			if n := s.Handled.Load() - handled; n > 0 {
				b.Errorf("net/http answered %d requests", n)
			}
		})
		b.Run(test.name+"/TCP", func(b *testing.B) {
			c := s.Dial()
			_, body := c.Get(facadetest.LaneTargets[0], test.field)
			request := []byte("GET " + facadetest.LaneTargets[0] + " HTTP/1.1\r\nHost: x\r\n" + test.field + "\r\n\r\n")
			handled := s.Handled.Load()
			buffer := make([]byte, 64<<10)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Write(request); err != nil {
					b.Fatal(err)
				}
				for n, end := 0, -1; end < 0 || n < end+4+len(body); {
					size, err := c.Conn.Read(buffer[n:])
					if err != nil {
						b.Fatal(err)
					}
					n += size
					end = bytes.Index(buffer[:n], []byte("\r\n\r\n"))
				}
			}
			if n := s.Handled.Load() - handled; n > 0 {
				b.Errorf("net/http answered %d requests", n)
			}
		})
	}
}

// repeating is a connection on which each read is the same request.
type repeating struct {
	facadetest.ScriptedConn
	request   string
	remaining int
	done      chan struct{}
}

func (c *repeating) Read(p []byte) (int, error) {
	if c.remaining == 0 {
		return 0, io.EOF
	}
	c.remaining--
	return copy(p, c.request), nil
}

func (c *repeating) Write(p []byte) (int, error)     { return len(p), nil }
func (c *repeating) SetReadDeadline(time.Time) error { return nil }

func (c *repeating) Close() error {
	close(c.done)
	return nil
}
