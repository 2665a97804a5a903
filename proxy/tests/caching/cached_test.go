package caching_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/google/go-cmp/cmp"
)

func TestCachedReads(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	for _, test := range []struct{ line, want string }{
		{"GET /events?categories=b,a&page=1", "200 fwd=uri-miss; stored calls 1"},
		{"GET /events?categories[]=a&categories[]=b", "200 hit calls 0"},
		{"GET /events/?categories=a&categories=b&per_page=10&colour=blue", "200 hit calls 0"},
		{"HEAD /events?categories=a,b", "200 hit calls 0"},
		{"GET /events?categories=a", "200 fwd=uri-miss; stored calls 1"},
		{"GET /es/events?categories=a", "200 fwd=uri-miss; stored calls 1"},
		{"GET /events?categories=a&i18n_language=es", "200 hit calls 0"},
		{"GET /events?categories=a&i18n_language=fr", "200 fwd=uri-miss; stored calls 1"},
		{"GET /events/5", "200 fwd=uri-miss; stored calls 1"},
		{"GET /events/05?password", "400  calls 0"},
		{"GET /events/05", "200 hit calls 0"},
		{"GET /%65vents/%35//", "200 hit calls 0"},
		{"GET /events/%35?x=%", "200 hit calls 0"},
		{"GET /events?search=50%", "200 fwd=uri-miss; stored calls 1"},
		{"GET /events?se%61rch=50%25", "200 hit calls 0"},
		{"GET /events?search=%e9", "200 fwd=uri-miss; stored calls 1"},
		{"GET /events?search=%E9", "200 hit calls 0"},
		{"GET /events?search=%C3%A9", "200 fwd=uri-miss; stored calls 1"},
		{"HEAD /events/6", "200 fwd=uri-miss; stored calls 1"},
		{"GET /events/6", "200 hit calls 0"},
		{"HEAD /events/6?colour=blue", "200 hit calls 0"},
	} {
		f.Want(test.line, test.want)
	}
	f.Want("GET /events/5", "200 hit calls 0", "Cookie: theme=dark; wordpress_logged_in_x=admin", "Cache-Control: no-cache",
		"X-WP-Nonce: a")
}

// TestNeverShared: requests with credentials or a password neither read the cache nor fill
// it.
func TestNeverShared(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Cookies = true })
	f.Want("GET /events/5", "200 fwd=uri-miss; stored calls 1")
	for _, credential := range []string{
		"Authorization: Basic YTpi", "Authorization: Bearer x", "Authorization: malformed",
		"Cookie: wordpress_logged_in_x=admin", "Cookie: wordpress_sec_x=admin", "X-WP-Nonce: a",
	} {
		for range 2 {
			f.Want("GET /events/5", "200 fwd=bypass calls 1", credential)
			f.Want("GET /events/7", "200 fwd=bypass calls 1", credential)
		}
		res, _ := f.Send("GET /events/5", credential)
		if got := res.Header.Get("Cache-Control"); got != "private, no-store" {
			t.Errorf("%s: Cache-Control %s", credential, got)
		}
		if res.Header.Get("Etag") == "" || res.Header.Get("Age") != "" {
			t.Errorf("%s: %v", credential, res.Header)
		}
	}
	f.Want("GET /events/5?_wpnonce=a", "200 fwd=bypass calls 1")
	for range 2 {
		f.Want("GET /events/5?password=p", "200 fwd=bypass calls 1")
	}
	f.Want("GET /events/7", "200 fwd=uri-miss; stored calls 1")
}

// TestNotStored: answers that are for one client or one moment.
func TestNotStored(t *testing.T) {
	for name, reply := range map[string]http.HandlerFunc{
		"200 no-store":   facadetest.WithHeader(facadetest.Answer(200, `{}`), "Cache-Control", "no-store"),
		"200 private":    facadetest.WithHeader(facadetest.Answer(200, `{}`), "Cache-Control", "max-age=60, Private"),
		"200 Set-Cookie": facadetest.WithHeader(facadetest.Answer(200, `{}`), "Set-Cookie", "a=b"),
		"401":            facadetest.Answer(401, `{}`),
		"403":            facadetest.Answer(403, `{}`),
		"410":            facadetest.Answer(410, `{}`),
		"500":            facadetest.Answer(500, `{}`),
		"301":            facadetest.Answer(301, ``),
		"200 not JSON":   facadetest.Answer(200, `<html>`),
	} {
		f := facadetest.NewCachedFacade(t, nil)
		f.Answers(reply)
		for range 2 {
			calls := f.Calls.Load()
			f.Send("GET /events/5")
			if got := f.Calls.Load() - calls; got != 1 {
				t.Errorf("%s: %d calls, want 1", name, got)
			}
		}
	}
}

func TestFreshness(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	f.Want("GET /events/5", "200 fwd=uri-miss; stored calls 1")
	f.Pass(50 * time.Second)
	res, _ := f.Send("GET /events/5")
	if got := res.Header.Get("Age"); got != "50" {
		t.Errorf("Age %s", got)
	}
	f.Pass(11 * time.Second)
	if got := f.CacheStatus("GET /events/5"); !strings.Contains(got, "detail=stale-while-revalidate") {
		t.Errorf("got %s", got)
	}
	// The refresh must not be counted below.
	facadetest.Eventually(t, "it is refreshed", func() bool { return f.Calls.Load() == 2 })
	f.Pass(10 * time.Minute)
	f.Answers(facadetest.Answer(500, ""))
	if got := f.CacheStatus("GET /events/5"); !strings.HasPrefix(got, "200 ") || !strings.Contains(got, "detail=stale-if-error") {
		t.Errorf("got %s", got)
	}
	f.Pass(2 * time.Hour)
	f.Want("GET /events/5", "502  calls 1")

	f.Answers(facadetest.Answer(404, `{"code":"rest-event-not-found"}`))
	f.Want("GET /events/999", "404 fwd=uri-miss; stored calls 1")
	f.Want("GET /events/999", "404 hit calls 0")
	f.Pass(11 * time.Second)
	f.Want("GET /events/999", "404 fwd=uri-miss; stored calls 1")
}

// TestMidnight: the default window of a list is made from the day.
func TestMidnight(t *testing.T) {
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		o.Freshness.Zone = func(string) *time.Location { return london }
		o.Freshness.TTL = map[string]time.Duration{"events": 24 * time.Hour}
	})
	f.Pass(13*time.Hour + 59*time.Minute) // 23:59
	const fixed = "GET /events?start_date=2026-01-01&end_date=2026-12-31"
	f.Want("GET /events", "200 fwd=uri-miss; stored; ttl=60 calls 1")
	f.Want(fixed, "200 fwd=uri-miss; stored calls 1")
	f.Pass(time.Minute)
	f.Want("GET /events", "200 fwd=stale; stored calls 1")
	f.Want(fixed, "200 hit calls 0")
}

func TestConditionalAndGzip(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	first, plain := f.Send("GET /events/5")
	tag := first.Header.Get("Etag")
	if tag == "" || !strings.Contains(first.Header.Get("Vary"), "Accept-Encoding") ||
		!strings.HasPrefix(first.Header.Get("Cache-Control"), "max-age=") {
		t.Errorf("header %v", first.Header)
	}
	res, body := f.Send("GET /events/5", "Accept-Encoding: gzip") // it may not be compressed yet
	if got, problem := unpacked(res, body, "gzip"); got != plain || problem != "" {
		t.Errorf("the first that accepts gzip: %s: %v", problem, res.Header)
	}
	f.Cache.Close() // the compressed body is there
	for _, accept := range []string{"gzip", "br, gzip;q=0.5", "*"} {
		res, body := f.Send("GET /events/5", "Accept-Encoding: "+accept)
		z, err := gzip.NewReader(strings.NewReader(body))
		if err != nil {
			t.Fatalf("%s: %v", accept, err)
		}
		unpacked, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plain, string(unpacked)); diff != "" || res.Header.Get("Etag") == tag {
			t.Errorf("%s: Etag %s (-plain +gzip):\n%s", accept, res.Header.Get("Etag"), diff)
		}
	}
	for _, accept := range []string{"identity", "gzip;q=0", "gzip;q=0.000, br", "br"} {
		if res, body := f.Send("GET /events/5", "Accept-Encoding: "+accept); body != plain {
			t.Errorf("%s: %v", accept, res.Header)
		}
	}
	for _, test := range []struct {
		match  string
		status int
	}{
		{tag, 304}, {"W/" + tag, 304}, {`"x", ` + tag, 304}, {"*", 304}, {strings.TrimSuffix(tag, `"`) + `-gzip"`, 304},
		{`"x"`, 200}, {"", 200},
	} {
		res, body := f.Send("GET /events/5", "If-None-Match: "+test.match)
		if res.StatusCode != test.status || test.status == 304 && (body != "" || res.Header.Get("Etag") != tag) {
			t.Errorf("If-None-Match %s: %d %v", test.match, res.StatusCode, res.Header)
		}
		if test.status == 304 {
			for _, name := range []string{"Cache-Control", "Vary", "Access-Control-Allow-Origin"} {
				if got, want := res.Header.Get(name), first.Header.Get(name); got != want {
					t.Errorf("If-None-Match %s: %s is %q, want %q", test.match, name, got, want)
				}
			}
		}
	}
	if res, _ := f.Send("HEAD /events/5"); res.ContentLength != int64(len(plain)) {
		t.Errorf("HEAD: Content-Length %d, want %d", res.ContentLength, len(plain))
	}
}

// TestCompressedFromTheFirst: each client that accepts gzip gets it, the first one too, unless the
// response is too short.
func TestCompressedFromTheFirst(t *testing.T) {
	long := facadetest.Answer(200, `{"id":5,"title":"`+strings.Repeat("long ", 500)+`"}`)
	short := facadetest.Answer(200, `{"id":5}`)
	for _, test := range []struct {
		name  string
		reply http.HandlerFunc
		want  string
	}{
		{"stored", long, "gzip"},
		{"not stored", facadetest.WithHeader(long, "Cache-Control", "no-store"), "gzip"},
		{"too short", short, ""},
	} {
		f := facadetest.NewCachedFacade(t, nil)
		f.Answers(test.reply)
		for _, accept := range []string{"gzip", "identity", "gzip"} {
			res, _ := f.Send("GET /events/5", "Accept-Encoding: "+accept)
			want := test.want
			if accept != "gzip" {
				want = ""
			}
			if got := res.Header.Get("Content-Encoding"); got != want {
				t.Errorf("%s, %s: %q, want %q", test.name, accept, got, want)
			}
		}
	}
}

// TestReadYourWrites: after a write no client gets the state before, in any language.
func TestReadYourWrites(t *testing.T) {
	const venue = `{"id":9,"slug":"x","status":"publish"}`
	event := `{"id":5,"slug":"five","status":"publish","venue":{"id":9},"organizer":[{"id":7}],` +
		`"categories":[{"id":3,"parent":2}],"tags":[{"id":4}]}`
	list := `{"events":[` + event + `],"total":1}`
	writes := map[string]string{ // line -> reply
		"/events": list, "/events/5": event, "/events/by-slug/five": event, "/events/6": `{"id":6}`,
		"/venues": `{"venues":[{"id":9}],"total":1}`, "/venues/9": venue, "/venues?has_events=1": `{"venues":[{"id":9}],"total":1}`,
		"/organizers/7": `{"id":7}`, "/categories": `{"categories":[{"id":3,"parent":2}],"total":1}`,
		"/categories/3": `{"id":3,"parent":2}`,
		"/categories/2": `{"id":2,"parent":0}`, "/tags/4": `{"id":4}`, "/es/events": list, "/es/venues/9": venue,
	}
	for _, test := range []struct {
		write, reply string
		status       int
		ends         string
	}{
		{"PUT /events/5 {\"title\":\"x\"}", event, 200,
			"/categories /categories/2 /categories/3 /es/events /events /events/5 /events/by-slug/five /tags/4 /venues?has_events=1"},
		{"POST /events " + facadetest.AnEvent, `{"id":77}`, 201,
			"/categories /categories/2 /categories/3 /es/events /events /events/5 /events/by-slug/five /tags/4 /venues?has_events=1"},
		{"PUT /venues/9 {\"city\":\"x\"}", `{"id":9}`, 200,
			"/es/events /es/venues/9 /events /events/5 /events/by-slug/five /venues /venues/9 /venues?has_events=1"},
		{"DELETE /organizers/7", `{"id":7}`, 200, "/es/events /events /events/5 /events/by-slug/five /organizers/7"},
		{"DELETE /categories/2", `{"id":2}`, 200,
			"/categories /categories/2 /categories/3 /es/events /events /events/5 /events/by-slug/five"},
		{"DELETE /tags/4", `{"id":4}`, 200, "/es/events /events /events/5 /events/by-slug/five /tags/4"},
		{"PUT /venues/by-slug/x {}", `<html>`, 500,
			"/es/events /es/venues/9 /events /events/5 /events/by-slug/five /venues /venues/9 /venues?has_events=1"},
		{"PUT /es/venues/9 {\"city\":\"x\"}", `{"id":9}`, 200,
			"/es/events /es/venues/9 /events /events/5 /events/by-slug/five /venues /venues/9 /venues?has_events=1"},
		{"PUT /events/5 {\"title\":\"x\"}", `{"code":"x"}`, 403, ""},
		{"DELETE /events/6", `{"id":6}`, 200,
			"/categories /categories/2 /categories/3 /es/events /events /events/5 /events/6 /events/by-slug/five /tags/4 " +
				"/venues?has_events=1"},
	} {
		f := facadetest.NewCachedFacade(t, nil)
		f.Answers(func(w http.ResponseWriter, r *http.Request) {
			path := strings.Replace(r.URL.Path, "/wp-json/tribe/events/v1", "", 1)
			if r.URL.Query().Has("has_events") {
				path += "?has_events=1"
			}
			facadetest.Answer(200, writes[path])(w, r)
		})
		for path := range writes {
			f.Want("GET "+path, "200 fwd=uri-miss; stored calls 1")
		}
		reply := *f.Reply.Load()
		f.Accepts(facadetest.Editor)
		f.Answers(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method != http.MethodGet:
				facadetest.Answer(test.status, test.reply)(w, r)
			case strings.Contains(r.URL.Path, "/by-slug/"):
				facadetest.Answer(200, venue)(w, r)
			default:
				reply(w, r)
			}
		})
		if test.status < http.StatusInternalServerError {
			f.Send(test.write)
		} else {
			f.Send(test.write, facadetest.Editor)
		}
		f.Answers(reply)
		var ended []string
		for path := range writes {
			if !strings.HasPrefix(f.CacheStatus("GET "+path), "200 hit") {
				ended = append(ended, path)
			}
		}
		if diff := cmp.Diff(strings.Fields(test.ends), sorted(ended)); diff != "" {
			t.Errorf("%s %d (-want +got):\n%s", test.write, test.status, diff)
		}
	}
}

// TestSitesApart: a write at one of several sites purges nothing of another.
func TestSitesApart(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Site[1].Site = "other" })
	f.Answers(facadetest.Answer(200, `{"id":5}`))
	for _, path := range []string{"/events/5", "/es/events/5"} {
		f.Want("GET "+path, "200 fwd=uri-miss; stored calls 1")
	}
	f.Send("DELETE /es/events/5")
	f.Want("GET /events/5", "200 hit calls 0")
	f.Want("GET /es/events/5", "200 fwd=uri-miss; stored calls 1")
}

func sorted(s []string) []string {
	slices.Sort(s)
	return slices.Clip(append([]string{}, s...))
}

// TestNoClientRenews: no client can empty the cache.
func TestNoClientRenews(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	f.Want("GET /events/5", "200 fwd=uri-miss; stored calls 1")
	for _, header := range []string{"no-cache", "max-age=0", "no-store"} {
		f.Want("GET /events/5", "200 hit calls 0", "Cache-Control: "+header, "Pragma: no-cache")
	}
}
