package upstream_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"go.uber.org/goleak"
)

// soon is a timeout that is to run out. It bounds the acts of a site after it was
// sent a request, or before it can be sent one, so that a slow machine changes
// no response. The site may read the request only after that.
const soon = 20 * time.Millisecond

// fault is a way for the site to fail, and the responses to a read and a write then:
// status, code, Retry-After, and how often the site was sent the call. Reads may
// be tried once more.
type fault struct {
	name   string
	does   facadetest.Script // nil: change sets another address
	change func(*proxy.Options)
	result string
	write  string
}

// The other timeouts are longer than a test: they would have the same results.
func firstByteSoon(o *proxy.Options) { o.Upstream.HeaderTimeout = soon }

// totalSoon leaves a slow machine time to connect and to send, which it includes.
func totalSoon(o *proxy.Options) { o.Upstream.Timeout = 3 * time.Second }

// faultsOf lists the faults. before is where sites of their own are made.
func faultsOf(t testing.TB) []fault {
	const (
		down    = "503 calendar_upstream_unavailable after 1"
		busy    = "503 calendar_upstream_unavailable after 7, sent 1"
		slow    = "504 calendar_upstream_timeout"
		failed  = "502 calendar_upstream_failed"
		invalid = "502 calendar_upstream_invalid"
		unknown = "504 calendar_write_outcome_unknown, sent 1"
	)
	upstream := func(url string) func(*proxy.Options) {
		return func(o *proxy.Options) {
			for i, l := range facadetest.FaultOptions(url).Site {
				o.Site[i].Upstream = l.Upstream
			}
		}
	}
	return []fault{
		{"refused", nil, upstream("http://127.0.0.1:1"), down + ", sent 0", down + ", sent 0"},
		{"no such host", nil, upstream("http://nowhere..invalid"), down + ", sent 0", down + ", sent 0"},
		{"unknown certificate", nil, upstream(untrusted(t)), down + ", sent 0", down + ", sent 0"},
		{"hangs in TLS", nil, func(o *proxy.Options) {
			o.Upstream.ConnectTimeout = soon
			upstream("https://" + silentPort(t))(o)
		}, down + ", sent 0", down + ", sent 0"},

		{"hangs", hangs(""), firstByteSoon, slow + ", sent 1", unknown},
		{"hangs in the header", hangs("HTTP/1.1 200 OK\r\nContent-"), firstByteSoon, slow + ", sent 1", unknown},
		{"hangs in the body", hangs("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{"), totalSoon, slow + ", sent 1", unknown},
		{"drips", drips, totalSoon, slow + ", sent 1", unknown},

		{"hangs up", facadetest.Says("", false), nil, failed + ", sent 2", unknown},
		{"speaks something else", facadetest.Says("220 mail.example.org ESMTP\r\n", false), nil, failed + ", sent 2", unknown},
		{"resets in the body", resets, nil, failed + ", sent 2", unknown},
		{"breaks off a chunk", facadetest.Says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n21\r\n"+facadetest.AnItem[:9], false), nil,
			failed + ", sent 2", unknown},
		{"announces more", facadetest.Says("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"+facadetest.AnItem, false), nil,
			failed + ", sent 2", unknown},
		{"announces less", facadetest.Says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"+facadetest.AnItem, true), nil,
			invalid + ", sent 1", unknown},
		{"breaks off the JSON", facadetest.Says(facadetest.Response(200, "", facadetest.AnItem[:9]), true), nil, invalid + ", sent 1", unknown},
		{"sends no gzip", facadetest.Says(facadetest.Response(200, "Content-Encoding: gzip\r\n", facadetest.AnItem), true), nil,
			failed + ", sent 2", unknown},
		{"sends another coding", facadetest.Says(facadetest.Response(200, "Content-Encoding: br\r\n", "\x8b\x03\x80{}\x03"), true), nil,
			invalid + ", sent 1", unknown},
		{"sends a bomb", facadetest.Says(facadetest.Response(200, "Content-Encoding: gzip\r\n", bomb(8<<20)), true),
			func(o *proxy.Options) { o.Upstream.MaxBody = 1 << 20 }, invalid + ", sent 1", unknown},

		{"sends a large header",
			facadetest.Says(facadetest.Response(200, "X-Large: "+strings.Repeat("x", 64<<10)+"\r\n", facadetest.AnItem), true), nil,
			failed + ", sent 2", unknown},
		{"200 with a page", facadetest.Says(facadetest.Response(200, "Content-Type: text/html\r\n", "<html>"), true), nil,
			invalid + ", sent 1", unknown},
		{"301", facadetest.Says(facadetest.Response(301, "Location: https://www.example.org/\r\n", ""), true), nil,
			invalid + ", sent 1", invalid + ", sent 1"},
		{"403 with a page", facadetest.Says(facadetest.Response(403, "", "<html>"), true), nil, invalid + ", sent 1", invalid + ", sent 1"},
		{"429", facadetest.Says(facadetest.Response(429, "Retry-After: 7\r\n", "{}"), true), nil, busy, busy},
		{"500 with a page", facadetest.Says(facadetest.Response(500, "", "<html>"), true), nil, failed + ", sent 1", unknown},
		{"502", facadetest.Says(facadetest.Response(502, "", "<html>"), true), nil, failed + ", sent 2", unknown},
		{"503", facadetest.Says(facadetest.Response(503, "", "<html>"), true), nil, down + ", sent 2", unknown},
		{"503 that says when", facadetest.Says(facadetest.Response(503, "Retry-After: 7\r\n", "<html>"), true), nil, busy, unknown},
		{"504", facadetest.Says(facadetest.Response(504, "", "<html>"), true), nil, failed + ", sent 2", unknown},
	}
}

// options configure a facade that meets the fault, before a site at url.
func (f fault) options(url string) proxy.Options {
	o := facadetest.FaultOptions(url)
	o.Upstream.Retries = 1
	o.Upstream.MaxRetryAfter = time.Minute
	if f.change != nil {
		f.change(&o)
	}
	return o
}

// TestFaults: the responses of clients, how often the site is called for it, and that
// nothing of a call is left behind.
func TestFaults(t *testing.T) {
	for _, f := range faultsOf(t) {
		t.Run(f.name, func(t *testing.T) {
			baseline := goleak.IgnoreCurrent()
			t.Cleanup(func() { noneLeft(t, baseline) }) // after the connections of the calls
			for _, line := range []string{"GET /events/5", "PUT /events/5 {}", "DELETE /events/5", "POST /tags {\"name\":\"x\"}"} {
				t.Run(strings.Fields(line)[0], func(t *testing.T) {
					t.Parallel() // some wait for a timeout
					site := facadetest.NewRawSite(t, f.does)
					want := f.write
					if strings.HasPrefix(line, "GET") {
						want = f.result
					}
					got := facadetest.NewDirect(t, f.options(site.URL)).Send(line)
					got = fmt.Sprint(got, ", sent ", site.CountSends(want))
					if got != want {
						t.Errorf("got %s, want %s", got, want)
					}
				})
			}
		})
	}
}

// noneLeft waits until only the goroutines of baseline are left.
func noneLeft(t *testing.T, baseline goleak.Option) {
	var leak error
	defer func() {
		if leak != nil {
			t.Log(leak)
		}
	}()
	facadetest.Eventually(t, "the goroutines have ended", func() bool {
		leak = goleak.Find(baseline)
		return leak == nil
	})
}

// TestFaultsWithSomethingStale: whatever happens, readers keep the answer of
// before.
func TestFaultsWithSomethingStale(t *testing.T) {
	for _, f := range faultsOf(t) {
		if f.does == nil {
			continue // there would be no answer of before
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel() // some wait for a timeout
			site := facadetest.NewRawSite(t, fine)
			primed := facadetest.FaultOptions(site.URL)
			faulty := f.options(site.URL)
			clock := site.StaleOptions(&primed)
			faulty.Cache = primed.Cache
			faulty.Clock = primed.Clock
			faulty.Freshness = primed.Freshness
			facadetest.NewDirect(t, primed).Want("GET /events/5", "200") // without the timeouts, which are to run out
			clock.Pass(10 * time.Minute)
			site.Does(f.does)
			facadetest.NewDirect(t, faulty).Want("GET /events/5", "200 stale-if-error")
		})
	}
}

// TestClosedBetweenCalls: a connection that the site gave up shows only when it
// is used again. A read moves to another, a write may have been made.
func TestClosedBetweenCalls(t *testing.T) {
	for line, want := range map[string]string{
		"GET /events/5":    "200, sent 2",
		"PUT /events/5 {}": "504 calendar_write_outcome_unknown, sent 1",
		"DELETE /events/5": "504 calendar_write_outcome_unknown, sent 1",
	} {
		site := facadetest.NewRawSite(t, func(s *facadetest.RawSite, c net.Conn, n int) bool { return n == 0 && fine(s, c, n) })
		d := site.Facade(nil)
		d.Want("GET /events/5", "200")
		site.Sends.Store(0)
		got := d.Send(line)
		got = fmt.Sprint(got, ", sent ", site.Sends.Load())
		if got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

// TestMemory: memory is allocated for received bytes, and not for an announced or a packed size.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	const limit = 16 << 20
	for name, does := range map[string]facadetest.Script{
		"bomb":      facadetest.Says(facadetest.Response(200, "Content-Encoding: gzip\r\n", bomb(128<<20)), true),
		"announced": facadetest.Says(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n{", 1<<30), false),
	} {
		site := facadetest.NewRawSite(t, does)
		d := site.Facade(func(o *proxy.Options) {
			o.Upstream.MaxBody = 1 << 20
			if name == "announced" {
				o.Upstream.MaxBody = 2 << 30
			}
		})
		var start, end runtime.MemStats
		runtime.ReadMemStats(&start)
		if got := d.Send("GET /events/5"); !strings.HasPrefix(got, "502 ") {
			t.Errorf("%s: got %s", name, got)
		}
		runtime.ReadMemStats(&end)
		if allocated := end.TotalAlloc - start.TotalAlloc; allocated > limit {
			t.Errorf("%s: took %d bytes, want at most %d", name, allocated, limit)
		}
	}
}

// TestLargeAnswers: responses up to max_body are served. Those larger than the cache's
// largest entry are not stored.
func TestLargeAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	for size, want := range map[int]int32{3 << 20: 1, 10 << 20: 2} {
		body := `{"id":5,"title":"","url":"","rest_url":"","description":"` + strings.Repeat("x", size) + `"}`
		site := facadetest.NewRawSite(t, facadetest.Says(facadetest.Response(200, "", body), true))
		d, _ := site.StaleFacade(facadetest.FaultOptions(site.URL))
		for range 2 {
			d.Want("GET /events/5", "200")
		}
		if got := site.Sends.Load(); got != want {
			t.Errorf("%d bytes: sent %d, want %d", size, got, want)
		}
	}
}

// silentPort takes connections, by the kernel, and never reads from them.
func silentPort(t testing.TB) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// untrusted is a site with an unknown certificate.
func untrusted(t testing.TB) string {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshake that fails
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL
}

func drips(s *facadetest.RawSite, c net.Conn, _ int) bool {
	if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"); err != nil {
		return false
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-s.Ended:
			return false
		case <-tick.C:
			if _, err := io.WriteString(c, "x"); err != nil {
				return false
			}
		}
	}
}

func resets(_ *facadetest.RawSite, c net.Conn, _ int) bool {
	_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{")
	_ = c.(*net.TCPConn).SetLinger(0)
	return false
}

// bomb is JSON of size bytes, compressed.
func bomb(size int) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	block := bytes.Repeat([]byte("x"), 1<<20)
	_, _ = io.WriteString(z, `{"title":"`)
	for range size >> 20 {
		_, _ = z.Write(block)
	}
	_, _ = io.WriteString(z, `"}`)
	_ = z.Close()
	return b.String()
}
