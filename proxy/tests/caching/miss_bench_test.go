//go:build unix

package caching_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/klauspost/compress/gzip"
)

// BenchmarkMiss is the CPU of misses of a list, requested one after the other on one connection, beside
// [httputil.ReverseProxy] that compresses the same responses with the same gzip. Backend and client are another
// process, so that the CPU of this process is the proxies' alone. Both proxies take turns within each
// iteration; x is the quotient of their CPU, which other load on the machine changes little.
func BenchmarkMiss(b *testing.B) {
	for _, events := range []int{10, 50} {
		b.Run(strconv.Itoa(events), func(b *testing.B) {
			target := fmt.Sprintf("/wp-json/calendar/events/v1/events?per_page=%d&start_date=2026-01-01&status=publish", events)
			peer := newMissPeer(b, recordList(b, events))
			facade := serveMisses(b, newMissFacade(b, peer.backend))
			bare := serveMisses(b, newGzipProxy(b, peer.backend))
			number := 1_000_000_000
			var facadeCPU, bareCPU time.Duration
			requests := 0
			measure := func(address string) time.Duration {
				start := cpu(b)
				peer.request(b, address, target, number)
				return cpu(b) - start
			}
			measure(facade) // connections, pools
			measure(bare)
			for b.Loop() {
				number += missesPerTurn
				facadeCPU += measure(facade)
				bareCPU += measure(bare)
				requests += missesPerTurn
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(facadeCPU.Microseconds())/float64(requests), "µs/miss")
			b.ReportMetric(float64(bareCPU.Microseconds())/float64(requests), "µs/bare")
			b.ReportMetric(float64(facadeCPU)/float64(bareCPU), "x")
		})
	}
}

// cpu returns the time that this process has used of the processors.
func cpu(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// recordList returns the response of the stand-in to the request for a list, with its header.
func recordList(b *testing.B, events int) []byte {
	clock := func() time.Time { return time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC) }
	legacy := httptest.NewServer(sim.New(sim.Options{Site: "http://legacy.example", Events: 200, Clock: clock}))
	defer legacy.Close()
	res, err := http.Get(fmt.Sprintf("%s/wp-json/tribe/events/v1/events?per_page=%d&start_date=2026-01-01&status=publish", legacy.URL, events))
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if n := bytes.Count(body, []byte(`"global_id"`)); err != nil || n < events {
		b.Fatalf("%d of %d events: %.80s %v", n, events, body, err)
	}
	recorded := &http.Response{
		StatusCode: res.StatusCode, ProtoMajor: 1, ProtoMinor: 1,
		Header: res.Header, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
	}
	var out bytes.Buffer
	if err := recorded.Write(&out); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

func newMissFacade(b *testing.B, backend string) http.Handler {
	entries := cache.New(cache.Options{Memory: 32 << 20}) // both proxies pay for the collection of this heap
	b.Cleanup(entries.Close)
	f := proxy.New(proxy.Options{
		Site:      i18n.Languages{{Code: "en", Root: "/wp-json", Upstream: backend + "/wp-json"}},
		PublicURL: facadetest.PublicURL,
		Legacy:    proxy.BackendOptions{SiteAliases: []string{"http://legacy.example"}},
		Cache:     entries,
		Freshness: freshness.Options{TTL: map[string]time.Duration{"events": 6 * time.Hour}, StaleWhileRevalidate: time.Hour},
	})
	b.Cleanup(f.Close)
	return f
}

// newGzipProxy returns a reverse proxy that compresses as the facade does.
func newGzipProxy(b *testing.B, backend string) http.Handler {
	target, err := url.Parse(backend)
	if err != nil {
		b.Fatal(err)
	}
	compressors := sync.Pool{New: func() any { z, _ := gzip.NewWriterLevel(io.Discard, 5); return z }}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Accept-Encoding")
		},
		ModifyResponse: func(res *http.Response) error {
			var out bytes.Buffer
			z := compressors.Get().(*gzip.Writer)
			defer compressors.Put(z)
			z.Reset(&out)
			if _, err := io.Copy(z, res.Body); err != nil {
				return err
			}
			if err := z.Close(); err != nil {
				return err
			}
			res.Body = io.NopCloser(&out)
			res.Header.Set("Content-Encoding", "gzip")
			res.Header.Set("Content-Length", strconv.Itoa(out.Len()))
			return nil
		},
	}
}

// serveMisses serves a handler as the program does, and returns its address.
func serveMisses(b *testing.B, handler http.Handler) (address string) {
	server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var inner net.Listener = listener
	if f, ok := handler.(*proxy.Facade); ok {
		server.ConnContext = lane.ConnContext
		inner = lane.Cork(listener, proxy.NewLane(server, func() (*proxy.Facade, func()) { return f, func() {} }))
	}
	go func() { _ = server.Serve(inner) }()
	b.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}
