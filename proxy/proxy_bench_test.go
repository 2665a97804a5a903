package proxy_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// sink is the cheapest writer: what a handler costs, and not what a recorder does.
type sink struct {
	header http.Header
	status int
	bytes  int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(b []byte) (int, error) { s.bytes += len(b); return len(b), nil }

func (s *sink) serve(h http.Handler, r *http.Request) {
	clear(s.header)
	s.status = 0
	s.bytes = 0
	h.ServeHTTP(s, r)
}

const (
	benchList   = "/wp-json/calendar/events/v1/events?per_page=10&start_date=2026-01-01"
	benchSingle = "/wp-json/calendar/events/v1/events/12"
)

// benchBody is a list of about 40 KB, or an event of 4 KB.
func benchBody(list bool) []byte {
	event := func(id int) string {
		return fmt.Sprintf(`{"id":%d,"rest_url":"http:\/\/legacy.example\/wp-json\/tribe\/events\/v1\/events\/%[1]d",`+
			`"title":"Harbour Lights","description":"%s","venue":[],"organizer":[]}`,
			id, strings.Repeat(`<p>An evening on the quay.<\/p>\n`, 120))
	}
	if !list {
		return []byte(proxytest.Marked(event(12)))
	}
	events := make([]string, 10)
	for i := range events {
		events[i] = event(i + 1)
	}
	return []byte(proxytest.Marked(`{"events":[` + strings.Join(events, ",") + `],"total":10,"total_pages":1}`))
}

// newBenchFacade is a facade before a legacy in this process that always sends the same.
func newBenchFacade(b *testing.B) *proxy.Facade {
	return newBenchFacadeWith(b, func(*proxy.Options) {})
}

func newBenchFacadeWith(b *testing.B, change func(*proxy.Options)) *proxy.Facade {
	b.Helper()
	list := benchBody(true)
	single := benchBody(false)
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := single
		if id := path.Base(r.URL.Path); id == "events" {
			body = list
		} else if id != "12" {
			body = bytes.Replace(single, []byte(`"id":12`), []byte(`"id":`+id), 1)
		}
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	}))
	b.Cleanup(legacy.Close)
	entries := cache.New(cache.Options{})
	b.Cleanup(entries.Close)
	o := proxy.Options{
		Site:      i18n.Site{{Code: "en", Root: "/wp-json", Upstream: legacy.URL + "/wp-json"}},
		PublicURL: publicURL,
		Legacy:    proxy.BackendOptions{SiteAliases: []string{"http://legacy.example"}},
		Cache:     entries,
		Freshness: freshness.Options{TTL: map[string]time.Duration{"events": 6 * time.Hour}, StaleWhileRevalidate: time.Hour},
	}
	change(&o)
	return proxy.New(o)
}

// BenchmarkHit compares whole hits in memory with a handler that is behind the
// same router and has a ready body.
func BenchmarkHit(b *testing.B) {
	f := newBenchFacade(b)
	for _, body := range []struct{ name, target, pattern string }{
		{"list", benchList, "/wp-json/calendar/events/v1/events"},
		{"single", benchSingle, "/wp-json/calendar/events/v1/events/:id"},
	} {
		w := &sink{header: http.Header{}}
		req := httptest.NewRequest(http.MethodGet, body.target, nil)
		w.serve(f, req)
		time.Sleep(50 * time.Millisecond) // until it is compressed
		w.serve(f, req)
		size := w.bytes
		tag := w.header["Etag"]
		zipped := req.Clone(req.Context())
		zipped.Header["Accept-Encoding"] = []string{"gzip, deflate, br"}
		clone := req.Clone(req.Context())
		clone.Header["If-None-Match"] = tag

		b.Run(body.name+"/bare", func(b *testing.B) { repeat(b, benchBare(body.pattern, size), req, http.StatusOK) })
		b.Run(body.name+"/plain", func(b *testing.B) { repeat(b, f, req, http.StatusOK) })
		b.Run(body.name+"/gzip", func(b *testing.B) { repeat(b, f, zipped, http.StatusOK) })
		b.Run(body.name+"/304", func(b *testing.B) { repeat(b, f, clone, http.StatusNotModified) })
	}
}

// BenchmarkLegacyHit is BenchmarkHit for a client of the legacy's names.
func BenchmarkLegacyHit(b *testing.B) {
	f := newBenchFacadeWith(b, func(o *proxy.Options) {
		o.LegacyClients = &legacyclients.Options{Names: mapping.Backend{Dialect: tribe.Dialect}}
	})
	for _, test := range []struct{ name, target string }{{"list", benchList}, {"single", benchSingle}} {
		req := httptest.NewRequest(http.MethodGet, strings.Replace(test.target, "calendar/", "tribe/", 1), nil)
		w := httptest.NewRecorder()
		f.ServeHTTP(w, req)
		zipped := req.Clone(req.Context())
		zipped.Header["Accept-Encoding"] = []string{"gzip, deflate, br"}
		b.Run(test.name+"/plain", func(b *testing.B) { repeat(b, f, req, http.StatusOK) })
		b.Run(test.name+"/gzip", func(b *testing.B) { repeat(b, f, zipped, http.StatusOK) })
	}
}

func repeat(b *testing.B, h http.Handler, r *http.Request, status int) {
	w := &sink{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		if w.serve(h, r); w.status != status {
			b.Fatal(w.status)
		}
	}
}

func benchBare(pattern string, size int) http.Handler {
	body := []byte(strings.Repeat("x", size))
	kind := []string{"application/json"}
	length := []string{strconv.Itoa(size)}
	control := []string{"max-age=60"}
	router := httprouter.New()
	router.GET(pattern, func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
		h := w.Header()
		h["Content-Type"], h["Content-Length"], h["Cache-Control"] = kind, length, control
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(body)
	})
	return router
}
