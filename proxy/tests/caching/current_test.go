package caching_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// pageCache is a cache in front of a site. It stores every response to a GET, and a write purges nothing.
type pageCache struct {
	site    http.HandlerFunc
	facade  *facadetest.CachedFacade
	field   string // with which it reports a hit; "Age" has the age, "" reports no hit
	obeys   bool   // Cache-Control: no-cache of a request
	deaf    bool   // it ignores the query
	entries map[string]pageEntry
}

type pageEntry struct {
	response *httptest.ResponseRecorder
	position int64
}

func (c *pageCache) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.URL.RequestURI()
	if c.deaf {
		key = r.URL.Path
	}
	entry, hit := c.entries[key]
	switch {
	case r.Method != http.MethodGet:
		c.site(w, r)
		return
	case !hit || c.obeys && r.Header.Get("Cache-Control") == "no-cache":
		entry = pageEntry{response: httptest.NewRecorder(), position: c.facade.Now.Load()}
		hit = false
		c.site(entry.response, r)
		c.entries[key] = entry
	}
	switch name, value, _ := strings.Cut(c.field, ": "); {
	case name == "Age":
		w.Header().Set(name, fmt.Sprint((c.facade.Now.Load()-entry.position)/int64(time.Second)))
	case name != "" && hit:
		w.Header().Set(name, value)
	}
	w.WriteHeader(entry.response.Code)
	_, _ = w.Write(entry.response.Body.Bytes())
}

// editedSite is a site with one event; its writes set title and website.
func editedSite() http.HandlerFunc {
	title := "old"
	website := "https://a.example/"
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			var values struct{ Title, Website string }
			_ = readJSON(r, &values)
			title = values.Title
			website = values.Website
		}
		event := fmt.Sprintf(`{"id":5,"title":%q,"website":%q,"status":"publish","timezone":"UTC"}`, title, website)
		if strings.HasSuffix(r.URL.Path, "/events") {
			event = `{"events":[` + event + `]}`
		}
		proxytest.WriteItem(w, "%s", event)
	}
}

// TestCacheOfTheSite: a response that a cache at the site had stored before a write through the facade is neither
// stored nor, if the cache can be passed, served.
func TestCacheOfTheSite(t *testing.T) {
	const passed = "200 fwd=uri-miss; stored calls "
	for name, test := range map[string]struct {
		cache pageCache
		want  string // how the read after the write is served
		title string
	}{
		"an age, and obeys":         {pageCache{field: "Age", obeys: true}, passed + "2", "new"},
		"an age":                    {pageCache{field: "Age"}, passed + "3", "new"},
		"a hit":                     {pageCache{field: "X-LiteSpeed-Cache: hit"}, passed + "3", "new"},
		"a hit, and obeys":          {pageCache{field: "Cf-Cache-Status: HIT", obeys: true}, passed + "2", "new"},
		"two ids":                   {pageCache{field: "X-Varnish: 12 7"}, passed + "3", "new"},
		"a date":                    {pageCache{field: "Date: Sat, 21 Nov 2026 10:00:00 GMT"}, passed + "3", "new"},
		"an age, without the query": {pageCache{field: "Age", deaf: true}, "200 fwd=uri-miss calls 3", "old"},
		"a hit, without the query":  {pageCache{field: "X-Cache: HIT", deaf: true}, "200 fwd=uri-miss calls 3", "old"},
	} {
		for _, headers := range []freshness.SiteHeaders{"limit", freshness.Obey} {
			for _, line := range []string{"GET /events/5", "GET /events"} {
				f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Freshness.SiteHeaders, o.UpdatesAsIs = headers, true })
				site := test.cache
				site.site = editedSite()
				site.facade = f
				site.entries = map[string]pageEntry{}
				f.Answers(site.ServeHTTP)
				f.Want(line, "200 fwd=uri-miss; stored calls 1")
				f.Pass(2 * time.Minute)
				f.Send(`PUT /events/5 {"title":"new","website":""}`)
				f.Pass(10 * time.Second)
				f.Want(line, test.want)
				res, body := f.Send(line)
				if !strings.Contains(body, `"title":"`+test.title+`"`) {
					t.Errorf("%s, %s: %s: %s", name, headers, line, body)
				}
				if old := test.title == "old"; old != (res.Header.Get("Cache-Control") == freshness.NoStore) {
					t.Errorf("%s, %s: %s: Cache-Control %s", name, headers, line, res.Header.Get("Cache-Control"))
				}
				if got := f.Facade.Upstreams()[0].Stored; (got == "") != (name == "a date") { // which may be a clock
					t.Errorf("%s: %s: the root shows %q", name, line, got)
				}
			}
		}
	}
}

// TestCacheOfTheSiteWithoutChange: an old response is as good as a new one while nothing of it was purged. One that
// was made after the purge, or fetched, is too.
func TestCacheOfTheSiteWithoutChange(t *testing.T) {
	for _, field := range []string{"Age: 120", "X-Cache: HIT", "Age: 120\nX-Cache: HIT"} {
		f := facadetest.NewCachedFacade(t, nil)
		f.Answers(withFields(facadetest.Answer(http.StatusOK, `{"id":5}`), field))
		f.Want("GET /events/5", "200 fwd=uri-miss; stored calls 1")
		f.Cache.Purge(t.Context(), cache.Purge{Tags: []string{"events:6"}})
		f.Pass(time.Hour)
		f.Want("GET /events/5", "200 fwd=stale; stored calls 1")
	}
	for _, field := range []string{
		"Age: 8", "Age: 0", "Age: 0\nX-Varnish: 12", "X-Cache: MISS", "X-Cache-Lookup: HIT from x:3128", "Age: x",
		"Date: Sat, 21 Nov 2026 09:59:59 GMT",
	} {
		f := facadetest.NewCachedFacade(t, nil)
		f.Answers(withFields(facadetest.Answer(http.StatusOK, `{"id":5}`), field))
		f.Cache.Purge(t.Context(), cache.Purge{Tags: []string{"events:5"}})
		f.Pass(10 * time.Second)
		f.Want("GET /events/5", "200 fwd=uri-miss; stored calls 1")
	}
}

// withFields adds header fields, one a line.
func withFields(h http.HandlerFunc, fields string) http.HandlerFunc {
	for line := range strings.Lines(fields) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		h = facadetest.WithHeader(h, name, value)
	}
	return h
}

// TestCacheOfTheSiteBeforeAnUpdate: an update, and a condition, are made with the item as it is. If a cache at the site
// hides that, nothing is sent.
func TestCacheOfTheSiteBeforeAnUpdate(t *testing.T) {
	for name, test := range map[string]struct {
		cache pageCache
		want  string
	}{
		"an age":                   {pageCache{field: "Age"}, `200 "website":"https://b.example/"`},
		"a hit":                    {pageCache{field: "X-Cache: HIT"}, `200 "website":"https://b.example/"`},
		"a hit, without the query": {pageCache{field: "X-Cache: HIT", deaf: true}, `502 `},
	} {
		f := facadetest.NewCachedFacade(t, nil)
		site := test.cache
		site.site = editedSite()
		site.facade = f
		site.entries = map[string]pageEntry{}
		f.Answers(site.ServeHTTP)
		cached, _ := f.Send("GET /events/5", "Authorization: Basic YTpi")
		f.Pass(time.Minute)
		edited := proxytest.NewRequest(t, http.MethodPut, "/wp-json/tribe/events/v1/events/5", `{"title":"x","website":"https://b.example/"}`)
		site.site(httptest.NewRecorder(), edited) // in wp-admin
		status, expected, _ := strings.Cut(test.want, " ")
		if res, body := f.Send(`PUT /events/5 {"title":"y"}`, "If-Match: "+cached.Header.Get("Etag")); status == "200" &&
			res.StatusCode != http.StatusPreconditionFailed {
			t.Errorf("%s: If-Match: %d %s", name, res.StatusCode, body)
		}
		if res, body := f.Send(`PUT /events/5 {"title":"y"}`); fmt.Sprint(res.StatusCode) != status || !strings.Contains(body, expected) {
			t.Errorf("%s: %d %s, want %s", name, res.StatusCode, body, test.want)
		}
	}
}

// TestPastParam: the parameter that makes a URL new is beside the call's own, and has another value each time.
func TestPastParam(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	names := map[string]bool{}
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
		if text := r.URL.Query().Get("fresh"); text != "" {
			query, _ := url.ParseQuery(r.URL.RawQuery)
			names[text] = r.Header.Get("Cache-Control") == "no-cache" && query.Get("per_page") == "10"
		}
		w.Header().Set("X-Cache", "HIT")
		facadetest.Answer(http.StatusOK, `{"events":[]}`)(w, r)
	})
	for range 2 {
		f.Cache.Purge(t.Context(), cache.Purge{All: true})
		f.Send("GET /events")
	}
	if len(names) != 2 {
		t.Errorf("values %v", names)
	}
	for value, ok := range names {
		if !ok {
			t.Errorf("the call with %s has another header or query", value)
		}
	}
}

func readJSON(r *http.Request, v any) error {
	return json.NewDecoder(r.Body).Decode(v)
}
