package caching_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestViews: a view is made of the stored whole without a call, has an entry and a validator of its own, and is served
// like any other.
func TestViews(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	for _, test := range []struct{ line, want string }{
		{"GET /events?fields=id,title", "200 fwd=uri-miss; stored calls 1"}, // fetches the whole
		{"GET /events?fields=title&fields=id", "200 hit calls 0"},
		{"GET /events?fields[]=id&fields[]=title&fields[]=id&page=1", "200 hit calls 0"},
		{"HEAD /events?fields=id,title", "200 hit calls 0"},
		{"GET /events", "200 hit calls 0"}, // the whole is stored too
		{"GET /events?fields=id", "200 hit calls 0"},
		{"GET /events?texts=plain", "200 hit calls 0"},
		{"GET /events?texts=plain&fields=id&i18n_language=en", "200 hit calls 0"},
		{"GET /es/events?fields=id", "200 fwd=uri-miss; stored calls 1"},
		{"GET /events/5", "200 fwd=uri-miss; stored calls 1"},
		{"GET /events/05?fields=title", "200 hit calls 0"},
		{"GET /events/5?fields=titel", "400  calls 0"},
		{"GET /events/6?texts=plain", "200 fwd=uri-miss; stored calls 1"},
		{"GET /events/6", "200 hit calls 0"},
		{"GET /tags?fields=name", "200 fwd=uri-miss; stored calls 1"},
	} {
		f.Want(test.line, test.want)
	}
	whole, _ := f.Send("GET /events/5")
	var tags []string
	for _, query := range []string{"?fields=id", "?fields=title", "?fields=id&texts=plain"} {
		res, body := f.Send("GET /events/5" + query)
		tag := res.Header.Get("Etag")
		tags = append(tags, tag)
		if res, rest := f.Send("GET /events/5"+query, "If-None-Match: "+tag); res.StatusCode != http.StatusNotModified || rest != "" {
			t.Errorf("%s: %d %s", query, res.StatusCode, rest)
		}
		if res, _ := f.Send("GET /events/5"+query, "If-None-Match: "+whole.Header.Get("Etag")); res.StatusCode != http.StatusOK {
			t.Errorf("%s: the validator of the whole is the view's", query)
		}
		if res, _ := f.Send("HEAD /events/5" + query); res.ContentLength != int64(len(body)) || res.Header.Get("Etag") != tag {
			t.Errorf("%s: HEAD: %v", query, res.Header)
		}
	}
	if tags[0] == tags[1] || tags[0] != tags[2] { // an id has no text
		t.Errorf("validators %q", tags)
	}
}

// TestViewHeader: the header of a view is the header of the whole, except for the validator and the links.
func TestViewHeader(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Surrogate.Tags = "Cache-Tag" })
	f.Answers(facadetest.WithHeader(facadetest.WithHeader(facadetest.Entitled(strings.Repeat("a &amp; b ", 400)), "X-TEC-TotalPages", "9"),
		"X-TEC-Total", "90"))
	whole, _ := f.Send("GET /events?page=3&search=a")
	view, body := f.Send("GET /events?page=3&search=a&texts=plain&fields=title")
	link := view.Header.Get("Link")
	if want := strings.ReplaceAll(whole.Header.Get("Link"), ">; rel", "&fields=title&texts=plain>; rel"); link != want || want == "" {
		t.Errorf("Link %s, want %s", link, want)
	}
	if !strings.Contains(body, `"title":"a & b a`) || strings.Contains(body, `"id"`) {
		t.Errorf("body %.200s", body)
	}
	for _, name := range []string{"Link", "Etag", "Content-Length", "X-Request-Id", "Cache-Status"} {
		whole.Header.Del(name)
		view.Header.Del(name)
	}
	view.Header.Del("Age") // is in a hit alone
	if diff := cmp.Diff(whole.Header, view.Header); diff != "" {
		t.Errorf("header (-whole +view):\n%s", diff)
	}
	next, _, _ := strings.Cut(link, ">")
	next = strings.TrimPrefix(next, "<"+facadetest.PublicURL+"/wp-json/calendar/events/v1")
	if res, body := f.Send("GET " + next); res.StatusCode != http.StatusOK || strings.Contains(body, `"id"`) {
		t.Errorf("%s: %d %.200s", next, res.StatusCode, body)
	}
	res, packed := f.Send("GET /events?page=3&search=a&texts=plain&fields=title", "Accept-Encoding: gzip")
	z, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(z); err != nil || string(plain) != body {
		t.Errorf("compressed: %v %.200s", err, plain)
	}
	if tag := res.Header.Get("Etag"); !strings.HasSuffix(tag, `-gzip"`) {
		t.Errorf("compressed: Etag %s", tag)
	}
}

// TestViewsArePurged: a purge and a write reach each view, whatever resource it is of.
func TestViewsArePurged(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.UpdatesAsIs = true })
	var version atomic.Int32
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
		facadetest.Entitled(fmt.Sprint("version ", version.Load()))(w, r)
	})
	f.Accepts(facadetest.Editor)
	views := []string{
		"/events?fields=title", "/events?texts=plain", "/events?fields=id,title&texts=plain", "/events/5?fields=title", "/events/5?texts=plain",
	}
	write := func(line string) {
		if res, body := f.Send(line, facadetest.Editor); res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", line, res.StatusCode, body)
		}
	}
	for _, change := range []func(){
		func() { write("PUT /events/5 {\"title\":\"x\"}") },
		func() { f.Cache.Purge(t.Context(), cache.Purge{Tags: []string{"events:5", "en:events"}}) },
	} {
		for _, view := range views {
			f.Send("GET " + view)
			if got := f.CacheStatus("GET " + view); !strings.HasPrefix(got, "200 hit") {
				t.Errorf("%s: %s", view, got)
			}
		}
		version.Add(1)
		change()
		for _, view := range views {
			if _, body := f.Send("GET " + view); !strings.Contains(body, fmt.Sprint("version ", version.Load())) {
				t.Errorf("%s: %s, want version %d", view, body, version.Load())
			}
		}
	}
}

// TestStaleViews: a view of a stale whole is as stale, and says so.
func TestStaleViews(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	const view = "GET /events/5?fields=title"
	asWhole := func(want string) {
		t.Helper()
		got := f.CacheStatus(view)
		if whole := f.CacheStatus("GET /events/5"); got != whole || !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want %s, as of the whole: %s", got, want, whole)
		}
	}
	f.Want(view, "200 fwd=uri-miss; stored calls 1")
	f.Pass(20 * time.Second)
	asWhole("200 hit; ttl=")
	f.Want("GET /events/5?fields=id", "200 hit calls 0") // made of a stored one
	if res, _ := f.Send("GET /events/5?fields=slug"); res.Header.Get("Age") != "20" {
		t.Errorf("Age %s", res.Header.Get("Age"))
	}
	f.Pass(100 * time.Second)
	if status := f.CacheStatus(view); !strings.HasPrefix(status, "200 hit; ttl=-") || !strings.Contains(status, "; detail=stale-while-revalidate") {
		t.Errorf("stale: %s", status)
	}
	facadetest.Eventually(t, "the whole is fetched again", func() bool { return !strings.Contains(f.CacheStatus("GET /events/5"), "stale") })
	asWhole("200 hit; ttl=")
	f.Pass(10 * time.Minute)
	f.Answers(facadetest.Sends(http.StatusBadGateway, ""))
	if status := f.CacheStatus(view); !strings.Contains(status, "detail=stale-if-error") {
		t.Errorf("after an error: %s", status)
	}
	f.Answers(facadetest.Entitled("again"))
	f.Want(view, "200 fwd=stale; stored calls 1")
	f.Pass(2 * time.Hour)
	f.Answers(facadetest.Sends(http.StatusBadGateway, ""))
	f.Want(view, "502  calls 1")
}

// TestViewsOfOthers: a view for one client alone is made of that client's response, and of an error there is none.
func TestViewsOfOthers(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	f.Send("GET /events/5?fields=title")
	f.Answers(facadetest.Entitled("of the editor"))
	for range 2 {
		res, body := f.Send("GET /events/5?fields=title", facadetest.Editor)
		if body != `{"title":"of the editor"}` || res.Header.Get("Cache-Control") != "private, no-store" || res.Header.Get("Etag") == "" {
			t.Errorf("%v %s", res.Header, body)
		}
	}
	res, body := f.Send("GET /events?fields=title&per_page=1&page=1", facadetest.Editor)
	if !strings.HasPrefix(body, `{"events":[{"title":"of the editor"}],`) {
		t.Errorf("%v %s", res.Header, body)
	}
	if _, body := f.Send("GET /events/5?fields=title"); strings.Contains(body, "editor") {
		t.Errorf("another client gets %s", body)
	}
	if _, body := f.Send("GET /events/5?fields=title&password=x"); body != `{"title":"of the editor"}` {
		t.Errorf("with a password: %s", body)
	}
	f.Answers(facadetest.Sends(http.StatusNotFound, `{"code":"rest-event-not-found","message":"&amp;","data":{"status":404}}`))
	for _, header := range []string{facadetest.Editor, "Accept: */*"} {
		if _, body := f.Send("GET /events/9?fields=title&texts=plain", header); !strings.Contains(body, `"message":"&amp;"`) {
			t.Errorf("an error: %s", body)
		}
	}
	f.Want("GET /events/9?fields=title", "404 hit calls 0")
	const only = "Cache-Control: only-if-cached"
	f.Want("GET /events/5?fields=id", "200 hit calls 0", only)
	f.Want("GET /events/8?fields=id", "504  calls 0", only)
}

// TestWithoutExtensions: switched off, the parameters are unknown.
func TestWithoutExtensions(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Extensions = false })
	_, whole := f.Send("GET /events/5")
	for _, query := range []string{"?fields=id", "?texts=plain", "?fields=titel"} {
		if res, body := f.Send("GET /events/5" + query); body != whole || !strings.Contains(res.Header.Get("Cache-Status"), "hit") {
			t.Errorf("%s: %v %.100s", query, res.Header, body)
		}
	}
}
