package proxy_test

import (
	"bytes"
	"net/http"
	"testing"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy"
)

// BenchmarkLane is a hit over TCP that the lane answers: a body, a compressed one, and
// none for a client that has it.
func BenchmarkLane(b *testing.B) {
	s := newLaneSide(b, newLaneSite(b), true, func(o *proxy.Options, _ *http.Server) { o.Log = zap.NewNop() })
	res, _ := s.dial().ask(laneTargets[0])
	for _, test := range []struct{ name, field string }{
		{"single", "Accept: */*"},
		{"gzip", "Accept-Encoding: gzip"},
		{"304", "If-None-Match: " + res.Header.Get("Etag")},
	} {
		b.Run(test.name, func(b *testing.B) {
			c := s.dial()
			_, body := c.ask(laneTargets[0], test.field)
			request := []byte("GET " + laneTargets[0] + " HTTP/1.1\r\nHost: x\r\n" + test.field + "\r\n\r\n")
			before := s.handled.Load()
			buffer := make([]byte, 64<<10)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Write(request); err != nil {
					b.Fatal(err)
				}
				for n, end := 0, -1; end < 0 || n < end+4+len(body); {
					read, err := c.TCPConn.Read(buffer[n:])
					if err != nil {
						b.Fatal(err)
					}
					n += read
					end = bytes.Index(buffer[:n], []byte("\r\n\r\n"))
				}
			}
			if n := s.handled.Load() - before; n > 0 {
				b.Errorf("net/http answered %d requests", n)
			}
		})
	}
}
