package facadetest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/upstream"
)

const (
	Editor     = "Authorization: Basic ZWRpdG9yOmE="
	Subscriber = "Authorization: Basic c3Vic2NyaWJlcjph"
	Invented   = "Authorization: Bearer made-up"
)

// Served returns how the list is served to another client: "hit", "stale", "fetched", or "pending" for a hit that other
// caches may not store.
func (f *CachedFacade) Served() string {
	f.T.Helper()
	res, _ := f.Send("GET /events")
	cacheStatus := res.Header.Get("Cache-Status")
	switch {
	case strings.Contains(cacheStatus, "detail=stale"):
		return "stale"
	case strings.Contains(cacheStatus, "fwd="):
		return "fetched"
	case strings.Contains(res.Header.Get("Cache-Control"), "no-cache"):
		return "pending"
	}
	return "hit"
}

// Accepts lets the site show that it accepts the writes of an identity.
func (f *CachedFacade) Accepts(credentials string) {
	f.T.Helper()
	site := *f.Reply.Load()
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", "GET, POST")
		site(w, r)
	})
	f.Send("GET /events", credentials)
	f.Answers(site)
}

// Settled waits for the refresh of the list.
func (f *CachedFacade) Settled() {
	testwait.Until(f.T, "the list is fresh", func() bool { return f.Served() != "stale" })
}

// CachedFacade is a facade with a cache before a legacy that counts.
type CachedFacade struct {
	T      *testing.T
	URL    string
	Facade *proxy.Facade
	Cache  *cache.Cache
	Now    atomic.Int64 // nanoseconds since start
	Calls  atomic.Int32
	Reply  atomic.Pointer[http.HandlerFunc]
}

var Start = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

func NewCachedFacade(t *testing.T, change func(*proxy.Options)) *CachedFacade {
	t.Helper()
	f := &CachedFacade{T: t}
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.Calls.Add(1)
		(*f.Reply.Load())(w, r)
	}))
	t.Cleanup(legacy.Close)
	f.Answers(Entitled(strings.Repeat("long ", 500)))
	clock := func() time.Time { return Start.Add(time.Duration(f.Now.Load())) }
	// Slow is an hour, so that no stale response is served because the test machine is slow.
	f.Cache = cache.New(cache.Options{Clock: clock, Slow: time.Hour})
	t.Cleanup(f.Cache.Close)
	o := proxy.Options{
		PublicURL:  PublicURL,
		Extensions: true,
		Site: i18n.Languages{
			{Code: "en", Root: "/wp-json", Upstream: legacy.URL + "/wp-json"},
			{Code: "es", Root: "/es/wp-json", Upstream: legacy.URL + "/es/wp-json"},
		},
		Legacy:   proxy.BackendOptions{Dialect: mapping.API{LanguageParam: "wpml_language"}},
		Upstream: upstream.Options{Timeout: time.Hour}, // longer than a test
		Cache:    f.Cache,
		Freshness: freshness.Options{
			TTL:                  map[string]time.Duration{freshness.Errors: 10 * time.Second},
			StaleWhileRevalidate: 5 * time.Minute, StaleIfError: time.Hour,
		},
		Clock: clock,
	}
	if change != nil {
		change(&o)
	}
	f.Facade = proxy.New(o)
	t.Cleanup(f.Facade.Close)
	front := httptest.NewServer(f.Facade)
	t.Cleanup(front.Close)
	f.URL = front.URL
	return f
}

func (f *CachedFacade) Answers(h http.HandlerFunc) { f.Reply.Store(&h) }

// Send sends a request ("GET path" and header fields) and returns the response; its body is
// read.
func (f *CachedFacade) Send(line string, header ...string) (*http.Response, string) {
	f.T.Helper()
	method, path, _ := strings.Cut(line, " ")
	root := "/wp-json"
	if suffix, ok := strings.CutPrefix(path, "/es"); ok {
		root = "/es/wp-json"
		path = suffix
	}
	body := ""
	if method == "POST" || method == "PUT" {
		path, body, _ = strings.Cut(path, " ")
	}
	r := Request(f.T, method, f.URL+root+"/calendar/events/v1"+path, body)
	r.Header.Set("Accept-Encoding", "identity")
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		f.T.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		f.T.Fatal(err)
	}
	if res.Header.Get("Content-Encoding") == "" {
		CheckLeaks(f.T, res.Header, got)
	}
	return res, string(got)
}

// CacheStatus returns Cache-Status and the number of calls of the legacy for a request.
func (f *CachedFacade) CacheStatus(line string, header ...string) string {
	f.T.Helper()
	calls := f.Calls.Load()
	res, _ := f.Send(line, header...)
	return fmt.Sprintf("%d %s calls %d", res.StatusCode, strings.TrimPrefix(res.Header.Get("Cache-Status"), "calfacade; "),
		f.Calls.Load()-calls)
}

func (f *CachedFacade) Want(line, want string, header ...string) {
	f.T.Helper()
	got := f.CacheStatus(line, header...)
	if i := strings.Index(got, "; ttl="); i > 0 && !strings.Contains(want, "ttl=") {
		_, expected, _ := strings.Cut(got[i+2:], " ")
		got = got[:i] + " " + expected
	}
	if got != want {
		f.T.Errorf("%s %s: got %s, want %s", line, header, got, want)
	}
}

func (f *CachedFacade) Pass(d time.Duration) { f.Now.Add(int64(d)) }

// WantShared sends a request twice, and checks whether the second response is from the
// cache.
func (f *CachedFacade) WantShared(want bool, format string, args ...any) {
	f.T.Helper()
	f.Send("GET /events/5")
	calls := f.Calls.Load()
	res, _ := f.Send("GET /events/5")
	if got := f.Calls.Load() == calls; got != want {
		f.T.Errorf(format+": shared %t", append(args, got)...)
	}
	if cookies := res.Header.Values("Set-Cookie"); len(cookies) > 0 {
		f.T.Errorf(format+": the client gets %q", append(args, cookies)...)
	}
}

// Knowing requests a target that may be a page, with If-None-Match unless etag is empty.
func (f *CachedFacade) Knowing(path, etag string) *http.Response {
	f.T.Helper()
	r := Request(f.T, http.MethodGet, f.URL+"/wp-json/calendar/events/v1"+path, "")
	if etag != "" {
		r.Header.Set("If-None-Match", etag)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		f.T.Fatal(err)
	}
	res.Body.Close()
	return res
}

// AgedTarget is a response that has an age when it comes from the site.
const AgedTarget = "/events/80"

func FacadeAt(t *testing.T, legacyURL string, change func(*proxy.Options)) string {
	t.Helper()
	o := proxy.Options{
		PublicURL: PublicURL,
		Site:      i18n.Languages{{Code: "en", Root: "/wp-json", Upstream: legacyURL + "/wp-json"}},
		Legacy:    proxy.BackendOptions{Dialect: mapping.API{LanguageParam: "wpml_language"}},

		UpdatesAsIs: true, // one call each
	}
	if change != nil {
		change(&o)
	}
	facade := httptest.NewServer(proxy.New(o))
	t.Cleanup(facade.Close)
	return facade.URL + "/wp-json/calendar/events/v1"
}
