package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/freshness"
)

// script is a server like that of the suite: its responses follow one another, and count the
// requests.
type script struct {
	responses []func(http.ResponseWriter)

	mu       sync.Mutex
	requests []string
}

// seen returns the requests so far: one that nobody waits for may still come.
func (s *script) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/test/") {
		_, _ = fmt.Fprintf(w, "%s %s", r.Method, r.URL)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, fmt.Sprintf("%s %s %s", r.Method, r.URL, r.Header.Get("Req-Num")))
	n := len(s.requests)
	s.mu.Unlock()
	w.Header().Set("Server-Request-Count", fmt.Sprint(n))
	s.responses[min(n, len(s.responses))-1](w) // the facade repeats reads that fail
}

// says returns a response.
func says(status int, body string, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for _, line := range header {
			name, value, _ := strings.Cut(line, ": ")
			w.Header().Add(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// shims are both, with a facade between them.
func shims(t *testing.T, suite http.Handler) (front string) {
	t.Helper()
	server := httptest.NewServer(suite)
	t.Cleanup(server.Close)
	known := &targets{}
	site := httptest.NewServer(&origin{suite: server.URL, targets: known, client: http.DefaultTransport})
	t.Cleanup(site.Close)
	stored := cache.New(cache.Options{Compress: proxy.Compress})
	t.Cleanup(stored.Close)
	f := proxy.New(proxy.Options{
		Site:      i18n.Site{{Code: "en", Root: "/wp-json", Upstream: site.URL + "/wp-json"}},
		PublicURL: "https://api.example.org", Legacy: proxy.LegacyOptions{Namespace: legacyNamespace}, Cache: stored,
		Freshness: freshness.Options{ObeyOrigin: true, TTL: map[string]time.Duration{"events": time.Second}},
	})
	t.Cleanup(f.Close)
	facade := httptest.NewServer(f)
	t.Cleanup(facade.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	first := httptest.NewServer(newFront(facade.URL+"/wp-json", u, known))
	t.Cleanup(first.Close)
	return first.URL
}

// get sends a request of the suite's client, and returns status, body and the fields that are
// wanted.
func get(t *testing.T, line string, header ...string) (res *http.Response, body string) {
	t.Helper()
	method, to, _ := strings.Cut(line, " ")
	r, err := http.NewRequestWithContext(t.Context(), method, to, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	res, err = http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(data)
}

// TestShims: the client of the suite gets through the facade what the suite's server sent, and
// sees what is from the cache.
func TestShims(t *testing.T) {
	long := strings.Repeat("long ", 1000)
	s := &script{responses: []func(http.ResponseWriter){
		says(200, long, "Cache-Control: max-age=3600", `Etag: W/"abc"`, "X-Other: 1", "Connection: X-Hop", "X-Hop: 1", "Age: 30"),
		says(200, "written"),
		says(404, "gone", "Cache-Control: no-cache"),
		says(200, "of the query", "Cache-Control: max-age=3600"),
		says(200, "of another query", "Cache-Control: max-age=3600"),
		func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	}}
	base := shims(t, s) + "/test/u"
	for _, step := range []struct {
		line, header string
		status       int
		body         string
		want         http.Header
	}{
		{"GET ", "Req-Num: 1", 200, long, http.Header{"Server-Request-Count": {"1"}, "Cache-Control": {"max-age=3600"}, "Etag": {`W/"abc"`}, "X-Other": {"1"}, "X-Hop": nil, "Age": {"30"}}},
		{"GET ", "Req-Num: 2", 200, long, http.Header{"Server-Request-Count": {"1"}, "Etag": {`W/"abc"`}, "Age": {"30"}}},
		{"GET ", `If-None-Match: "1", W/"abc"`, 304, "", http.Header{"Server-Request-Count": nil, "Etag": {`W/"abc"`}, "Cache-Control": {"max-age=3600"}}},
		{"GET ", `If-None-Match: "1"`, 200, long, http.Header{"Server-Request-Count": {"1"}}},
		{"HEAD ", "Req-Num: 3", 200, "", http.Header{"Server-Request-Count": nil}},
		{"PUT ", "Req-Num: 4", 200, "written", http.Header{"Server-Request-Count": {"2"}}},
		{"GET ", "Req-Num: 5", 404, "gone", http.Header{"Server-Request-Count": {"3"}}},
		{"GET ?test=a", "Req-Num: 6", 200, "of the query", http.Header{"Server-Request-Count": {"4"}}},
		{"GET ?test=b", "Req-Num: 7", 200, "of another query", http.Header{"Server-Request-Count": {"5"}}},
		{"GET ?test=a", "Req-Num: 8", 200, "of the query", http.Header{"Server-Request-Count": {"4"}}},
	} {
		method, rest, _ := strings.Cut(step.line, " ")
		res, body := get(t, method+" "+base+rest, step.header)
		if res.StatusCode != step.status || body != step.body {
			t.Errorf("%s%s: %d %.40q, want %d %.40q", step.line, step.header, res.StatusCode, body, step.status, step.body)
		}
		got := http.Header{}
		for name := range step.want {
			got[name] = res.Header[name]
		}
		if age, err := strconv.Atoi(res.Header.Get("Age")); err == nil && 30 <= age && age < 60 && step.want["Age"] != nil {
			got["Age"] = []string{"30"} // it grows in the cache
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s%s: (-want +got)\n%s", step.line, step.header, diff)
		}
	}
	if res, _ := get(t, "GET "+base+"/other", "Req-Num: 9"); res.StatusCode != http.StatusBadGateway {
		t.Errorf("the site closes the connection: %s", res.Status)
	}
	want := []string{"GET /test/u 1", "PUT /test/u 4", "GET /test/u 5", "GET /test/u?test=a 6", "GET /test/u?test=b 7", "GET /test/u/other 9"}
	if diff := cmp.Diff(want, slices.Compact(s.seen())); diff != "" {
		t.Errorf("requests of the site (-want +got):\n%s", diff)
	}
	if _, body := get(t, "PUT "+strings.TrimSuffix(base, "/test/u")+"/config/u"); body != "PUT /config/u" {
		t.Errorf("a configuration: %q", body)
	}
}
