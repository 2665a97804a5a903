package facadetest

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

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// Sink is the cheapest writer: a benchmark measures the handler, and no recorder.
type Sink struct {
	Fields http.Header
	status int
	Bytes  int
}

func (s *Sink) Header() http.Header         { return s.Fields }
func (s *Sink) WriteHeader(status int)      { s.status = status }
func (s *Sink) Write(b []byte) (int, error) { s.Bytes += len(b); return len(b), nil }

func (s *Sink) Serve(h http.Handler, r *http.Request) {
	clear(s.Fields)
	s.status = 0
	s.Bytes = 0
	h.ServeHTTP(s, r)
}

const (
	BenchList   = "/wp-json/calendar/events/v1/events?per_page=10&start_date=2026-01-01"
	BenchSingle = "/wp-json/calendar/events/v1/events/12"
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

func NewBenchFacadeWith(b *testing.B, change func(*proxy.Options)) *proxy.Facade {
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
		Site:       i18n.Languages{{Code: "en", Root: "/wp-json", Upstream: legacy.URL + "/wp-json"}},
		Extensions: true,
		PublicURL:  PublicURL,
		Legacy:     proxy.BackendOptions{SiteAliases: []string{"http://legacy.example"}},
		Cache:      entries,
		Freshness:  freshness.Options{TTL: map[string]time.Duration{"events": 6 * time.Hour}, StaleWhileRevalidate: time.Hour},
	}
	change(&o)
	return proxy.New(o)
}

func Repeat(b *testing.B, h http.Handler, r *http.Request, status int) {
	w := &Sink{Fields: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		w.Serve(h, r)
		if w.status != status {
			b.Fatal(w.status)
		}
	}
}
