package freshness_test

import (
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
	"github.com/calfacade/calfacade/proxy/freshness"
)

var (
	began   = time.Date(2026, 11, 21, 23, 50, 0, 0, time.UTC)
	options = freshness.Options{
		TTL:                  map[string]time.Duration{"events": 10 * time.Minute, freshness.Errors: 10 * time.Second},
		StaleWhileRevalidate: 5 * time.Minute,
		StaleIfError:         time.Hour,
		IgnoreCookies:        []string{"nlbi_*"},
	}
)

func TestLife(t *testing.T) {
	event := &mapping.Call{Endpoint: mappingtest.Row(t, "events.read")}
	full := cache.Life{Fresh: 10 * time.Minute, StaleWhileRevalidate: 5 * time.Minute, StaleIfError: time.Hour}
	for name, test := range map[string]struct {
		status  int
		headers freshness.SiteHeaders
		header  http.Header
		want    cache.Life // without jitter
	}{
		"200":                 {200, "limit", nil, full},
		"500":                 {500, "limit", nil, cache.Life{}},
		"404":                 {404, "limit", nil, cache.Life{Fresh: 10 * time.Second, Negative: true}},
		"cookie":              {200, "limit", http.Header{"Set-Cookie": {"cart=1"}}, cache.Life{}},
		"ignored cookie":      {200, "limit", http.Header{"Set-Cookie": {"nlbi_1=1"}}, full},
		"no-store":            {200, "limit", http.Header{"Cache-Control": {"no-store"}}, cache.Life{}},
		"no-cache is ignored": {200, "limit", http.Header{"Cache-Control": {"no-cache"}}, full},
		"no-cache":            {200, freshness.Obey, http.Header{"Cache-Control": {"no-cache"}}, cache.Life{}},
		"must-revalidate": {200, freshness.Obey, http.Header{"Cache-Control": {"max-age=100, must-revalidate"}},
			cache.Life{Fresh: 100 * time.Second}},
		"age": {200, freshness.Obey, http.Header{"Cache-Control": {"s-maxage=100"}, "Age": {"60"}},
			cache.Life{Fresh: 40 * time.Second}},
		"stale, permitted": {200, freshness.Obey, http.Header{"Cache-Control": {"max-age=0, stale-if-error=50"}},
			cache.Life{StaleIfError: 50 * time.Second}},
		"negative": {404, freshness.Obey, http.Header{"Cache-Control": {"max-age=4"}}, cache.Life{Fresh: 4 * time.Second, Negative: true}},
	} {
		o := options
		o.SiteHeaders = test.headers
		got := o.Terms(event, "en", test.status, test.header, began).Life
		if got.Fresh > test.want.Fresh || got.Fresh < test.want.Fresh*9/10 {
			t.Errorf("%s: fresh for %s, want %s", name, got.Fresh, test.want.Fresh)
		}
		got.Fresh = test.want.Fresh
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// TestLifeEndsAtMidnight: a list that begins today is another one tomorrow.
func TestLifeEndsAtMidnight(t *testing.T) {
	list, err := mappingtest.ParseQuery(t, "events.list", "")
	if err != nil {
		t.Fatal(err)
	}
	if !list.ByClock() {
		t.Fatal("the list does not depend on the time")
	}
	o := options
	o.TTL = map[string]time.Duration{"events": time.Hour}
	o.Zone = func(string) *time.Location { return time.UTC }
	if got := o.Terms(list, "en", 200, nil, began).Life; got.Fresh != 10*time.Minute || got.StaleWhileRevalidate != 0 {
		t.Errorf("fresh for %s, then stale for %s", got.Fresh, got.StaleWhileRevalidate)
	}
}

func TestCacheControl(t *testing.T) {
	event := &mapping.Call{Endpoint: mappingtest.Row(t, "events.read")}
	for name, test := range map[string]struct {
		status  int
		headers freshness.SiteHeaders
		header  http.Header
		want    string // a pattern, for lifetimes have a jitter
	}{
		"configured": {200, "limit", nil, "max-age=(5[4-9][0-9]|600), stale-while-revalidate=300, stale-if-error=3600"},
		"negative":   {404, "limit", nil, "max-age=10"},
		"not stored": {500, "limit", nil, "no-cache"},
		"private":    {200, "limit", http.Header{"Cache-Control": {"private"}}, freshness.NoStore},
		"of the site": {200, freshness.Obey, http.Header{"Cache-Control": {"max-age=9, s-maxage=60, must-revalidate"}},
			"max-age=9, s-maxage=(5[4-9]|60), must-revalidate"},
		"of the site, stale": {200, freshness.Obey, http.Header{"Cache-Control": {"max-age=60, stale-if-error=7"}},
			"max-age=(5[4-9]|60), stale-if-error=7"},
	} {
		o := options
		got := http.Header{}
		o.SiteHeaders = test.headers
		freshness.Surrogate{}.SetEntry(got, o.Terms(event, "en", test.status, test.header, began), nil)
		if control := got.Get("Cache-Control"); !regexp.MustCompile("^" + test.want + "$").MatchString(control) {
			t.Errorf("%s: %q, want %q", name, control, test.want)
		}
	}
}

func TestObstacle(t *testing.T) {
	for cause, header := range map[string]http.Header{
		"":                             {"Cache-Control": {"no-cache"}},
		"sets the cookie cart":         {"Set-Cookie": {"nlbi_1=1", "cart=1"}},
		"sends Cache-Control: private": {"Cache-Control": {"max-age=60", "Private"}},
	} {
		got, ok := options.Obstacle(header)
		if got.Cause != cause || ok != (cause != "") || ok == options.Shares(header) {
			t.Errorf("%v: %+v, %t; shared: %t", header, got, ok, options.Shares(header))
		}
	}
}

func TestCollapses(t *testing.T) {
	header := http.Header{"Cache-Control": {"no-cache"}}
	event := &mapping.Call{Endpoint: mappingtest.Row(t, "events.read")}
	o := options
	for headers, want := range map[freshness.SiteHeaders]bool{"limit": true, freshness.Ignore: true, freshness.Obey: false} {
		o.SiteHeaders = headers
		if got := o.Terms(event, "en", 200, header, began).Shared; got != want {
			t.Errorf("no-cache, %s: collapses %t", headers, got)
		}
	}
}
