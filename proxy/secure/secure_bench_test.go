package secure_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"go.uber.org/zap"
)

// BenchmarkHTTP2 is a hit by HTTP/2, beside a handler that sends the same response without
// a facade. The difference is the facade's; most of the rest is the client's.
func BenchmarkHTTP2(b *testing.B) {
	for _, body := range []struct{ name, target string }{{"single", facadetest.LaneTargets[0]}, {"list", facadetest.Long}} {
		s := facadetest.NewLaneSide(b, facadetest.NewLaneSite(b), true, func(o *proxy.Options, _ *http.Server) { o.Log = zap.NewNop() })
		s.Secure = true
		var handler atomic.Pointer[http.Handler]
		handler.Store(&s.Server.Handler)
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handler.Load()).ServeHTTP(w, r) })}
		l := s.Secured(s.Listen())
		go func() { _ = server.Serve(l) }()
		defer server.Close()
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true,
			DisableCompression: true}
		defer transport.CloseIdleConnections()
		get := func() (*http.Response, []byte) {
			r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "https://"+s.Address+body.target, nil)
			if err != nil {
				b.Fatal(err)
			}
			res, err := transport.RoundTrip(r)
			if err != nil {
				b.Fatal(err)
			}
			defer res.Body.Close()
			data, err := io.ReadAll(res.Body)
			if err != nil || res.ProtoMajor != 2 {
				b.Fatal(res.Proto, err)
			}
			return res, data
		}
		res, data := get()
		var bare http.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			h := w.Header()
			for name, values := range res.Header {
				if name != "Date" {
					h[name] = values
				}
			}
			w.WriteHeader(http.StatusOK)
			_, _ = w.Write(data)
		})
		for _, side := range []struct {
			name    string
			handler *http.Handler
		}{{"facade", &s.Server.Handler}, {"bare", &bare}} {
			b.Run(body.name+"/"+side.name, func(b *testing.B) {
				handler.Store(side.handler)
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						get()
					}
				})
			})
		}
	}
}

// BenchmarkLaneTLS is a hit over TLS: what the lane saves.
func BenchmarkLaneTLS(b *testing.B) {
	for name, inLane := range map[string]bool{"lane": true, "net/http": false} {
		for _, body := range []struct{ name, target string }{{"single", facadetest.LaneTargets[0]}, {"list", facadetest.Long}} {
			b.Run(name+"/"+body.name, func(b *testing.B) {
				s := facadetest.NewLaneSide(b, facadetest.NewLaneSite(b), inLane, func(o *proxy.Options, _ *http.Server) { o.Log = zap.NewNop() })
				s.ListenTLS()
				c := s.Dial()
				_, want := c.Get(body.target)
				request := []byte("GET " + body.target + " HTTP/1.1\r\nHost: x\r\n\r\n")
				buffer := make([]byte, 64<<10)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.Write(request); err != nil {
						b.Fatal(err)
					}
					for n, end := 0, -1; end < 0 || n < end+4+len(want); {
						size, err := c.Conn.Read(buffer[n:])
						if err != nil {
							b.Fatal(err)
						}
						n += size
						end = bytes.Index(buffer[:n], []byte("\r\n\r\n"))
					}
				}
			})
		}
	}
}
