package freshness_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/freshness"
)

// TestAgeAndDate: a response has the Date at which it was made, however often it is served, and
// its Age counts from then on. With cache.site_headers: obey it is the site that made it.
func TestAgeAndDate(t *testing.T) {
	const fetched, atTheSite = "Sat, 21 Nov 2026 10:00:00 GMT", "Sat, 21 Nov 2026 09:58:40 GMT"
	for name, test := range map[string]struct {
		headers          freshness.SiteHeaders
		miss, hit, stale string // Age
		date             string
	}{
		"obey":    {freshness.Obey, "80", "95", "1080", atTheSite},
		"default": {"limit", "", "15", "1000", fetched},
	} {
		f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Freshness.SiteHeaders = test.headers })
		site := facadetest.WithHeader(facadetest.Answer(http.StatusOK, `{"id":5}`), "Cache-Control", "max-age=100")
		site = facadetest.WithHeader(facadetest.WithHeader(site, "Age", "80, 3"), "Date", atTheSite)
		f.Answers(site)
		want := func(line, age string, status int, header ...string) *http.Response {
			t.Helper()
			res, _ := f.Send(line, header...)
			if got := res.Header.Get("Age"); got != age || res.StatusCode != status || res.Header.Get("Date") != test.date {
				t.Errorf("%s: %s: %d, Age %q, Date %q, want %d, %q, %q", name, line, res.StatusCode, got, res.Header.Get("Date"),
					status, age, test.date)
			}
			return res
		}
		tag := want("GET /events/5", test.miss, http.StatusOK).Header.Get("Etag")
		f.Now.Store(int64(15 * time.Second))
		want("GET /events/5", test.hit, http.StatusOK)
		want("HEAD /events/5", test.hit, http.StatusOK)
		want("GET /events/5", test.hit, http.StatusNotModified, "If-None-Match: "+tag)
		f.Now.Store(int64(1000 * time.Second))
		f.Answers(facadetest.Answer(http.StatusInternalServerError, `{}`))
		want("GET /events/5", test.stale, http.StatusOK)
	}
}

// TestAgePasses: a response that the facade does not store has the Age that the site sends with
// it, beside the site's Cache-Control.
func TestAgePasses(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Cache = nil })
	item := facadetest.Answer(http.StatusOK, `{"id":5}`)
	f.Answers(facadetest.WithHeader(facadetest.WithHeader(item, "Cache-Control", "max-age=100"), "Age", "80"))
	res, _ := f.Send("GET /events/5")
	if age, control := res.Header.Get("Age"), res.Header.Get("Cache-Control"); age != "80" || control != "max-age=100" {
		t.Errorf("Age %q, Cache-Control %q", age, control)
	}
}

// TestLaneAge: the lane serves hits with the same Age and Date as net/http.
func TestLaneAge(t *testing.T) {
	s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, func(o *proxy.Options, _ *http.Server) {
		o.Freshness.SiteHeaders = freshness.Obey
	})
	c := s.Dial()
	get := func() []string {
		res, _ := c.Get("/wp-json/calendar/events/v1" + facadetest.AgedTarget)
		return []string{res.Status, res.Header.Get("Age"), res.Header.Get("Date")}
	}
	miss := get()
	hit := get()
	handled := s.Handled.Load()
	lane := get()
	if s.Handled.Load() != handled {
		t.Error("the hit is not in the lane")
	}
	if !slices.Equal(hit, miss) || !slices.Equal(lane, miss) || miss[1] != "80" {
		t.Errorf("the response was %q, a hit is %q, and in the lane %q", miss, hit, lane)
	}
}
