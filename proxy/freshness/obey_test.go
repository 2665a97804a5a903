package freshness_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/freshness"
)

// obeyStep is a request so long after the first one. A site that is down answers 500.
type obeyStep struct {
	delay time.Duration
	down  bool
	want  string
}

const (
	freshHit  = "200 hit calls 0"
	fetched   = "200 fwd=uri-miss calls 1"
	storedNew = "200 fwd=uri-miss; stored calls 1"
	staleHit  = "200 hit detail=stale-if-error calls 1"
	noAnswer  = "502  calls 1"
)

// TestObeyOrigin: with cache.site_headers: obey the site's Cache-Control, Expires, Age, Date and
// Vary count as RFC 9111 and RFC 5861 have it.
func TestObeyOrigin(t *testing.T) {
	for _, test := range []struct {
		header string // of the site, name: value, one a line
		want   string // Cache-Control for clients, without the jitter
		steps  []obeyStep
	}{
		{"", "max-age=600, stale-while-revalidate=300, stale-if-error=3600", []obeyStep{{500 * time.Second, false, freshHit}}},
		{"Cache-Control: no-cache", "no-cache", []obeyStep{{0, false, fetched}, {time.Second, true, noAnswer}}},
		{`Cache-Control: No-Cache="set-cookie"`, "no-cache", []obeyStep{{0, false, fetched}}},
		{"Cache-Control: max-age=0", "no-cache", []obeyStep{{0, false, fetched}, {0, true, noAnswer}}},
		{"Cache-Control: max-age=abc", "no-cache", []obeyStep{{0, false, fetched}}},
		{"Cache-Control: max-age=-1", "no-cache", []obeyStep{{0, false, fetched}}},
		{"Expires: 0", "no-cache", []obeyStep{{0, false, fetched}}},
		{"Vary: Accept, *", "no-cache", []obeyStep{{0, false, fetched}}},
		{"Cache-Control: private, max-age=60", "private, no-store", []obeyStep{{0, false, fetched}}},
		{"Cache-Control: max-age=60\nCache-Control: no-store", "private, no-store", []obeyStep{{0, false, fetched}}},
		{"Cache-Control: max-age=100", "max-age=100, stale-if-error=3600", []obeyStep{
			{89 * time.Second, false, freshHit}, {1000 * time.Second, true, staleHit},
		}},
		{"Cache-Control: max-age=100, max-age=5000", "max-age=100, stale-if-error=3600", []obeyStep{{89 * time.Second, false, freshHit}}},
		{`Cache-Control: MAX-AGE="100"`, "max-age=100, stale-if-error=3600", []obeyStep{{89 * time.Second, false, freshHit}}},
		{`Cache-Control: x="no-cache, \", no-store", max-age=100`, "max-age=100, stale-if-error=3600",
			[]obeyStep{{89 * time.Second, false, freshHit}}},
		{"Cache-Control: max-age=5000", "max-age=5000, stale-if-error=3600", []obeyStep{{4000 * time.Second, false, freshHit}}},
		{"Cache-Control: max-age=100, must-revalidate", "max-age=100, must-revalidate", []obeyStep{
			{89 * time.Second, true, freshHit}, {101 * time.Second, true, noAnswer}, {101 * time.Second, false, storedNew},
		}},
		{"Cache-Control: max-age=100, proxy-revalidate, stale-if-error=1000", "max-age=100, proxy-revalidate",
			[]obeyStep{{101 * time.Second, true, noAnswer}}},
		{"Cache-Control: max-age=5000, s-maxage=100", "max-age=5000, s-maxage=100",
			[]obeyStep{{89 * time.Second, false, freshHit}, {101 * time.Second, true, noAnswer}}},
		{"Cache-Control: max-age=10, s-maxage=1000", "max-age=10, s-maxage=1000", []obeyStep{{800 * time.Second, false, freshHit}}},
		{"Cache-Control: s-maxage=1000", "s-maxage=1000", []obeyStep{{800 * time.Second, false, freshHit}}},
		{"Cache-Control: s-maxage=0, max-age=100", "no-cache", []obeyStep{{0, false, fetched}}},
		{"Cache-Control: max-age=100\nAge: 80", "max-age=100, stale-if-error=3600",
			[]obeyStep{{17 * time.Second, false, freshHit}, {1000 * time.Second, true, staleHit}}},
		{"Cache-Control: max-age=100, must-revalidate\nDate: Sat, 21 Nov 2026 09:58:40 GMT", "max-age=100, must-revalidate",
			[]obeyStep{{17 * time.Second, false, freshHit}, {21 * time.Second, true, noAnswer}}},
		{"Cache-Control: max-age=100\nAge: 80, 0", "max-age=100, stale-if-error=3600",
			[]obeyStep{{17 * time.Second, false, freshHit}, {21 * time.Second, false, "200 fwd=stale; stored calls 1"}}},
		{"Cache-Control: max-age=100\nAge: 0, 80", "max-age=100, stale-if-error=3600", []obeyStep{{89 * time.Second, false, freshHit}}},
		{"Cache-Control: max-age=100\nAge: 100", "no-cache", []obeyStep{{0, false, fetched}}},
		{"Expires: Sat, 21 Nov 2026 10:01:00 GMT\nDate: Sat, 21 Nov 2026 09:59:50 GMT", "max-age=70, stale-if-error=3600",
			[]obeyStep{{53 * time.Second, false, freshHit}}},
		{"Expires: Sat, 21 Nov 2026 10:01:00 GMT\nDate: yesterday", "max-age=60, stale-if-error=3600",
			[]obeyStep{{53 * time.Second, false, freshHit}}},
		{"Expires: Sat, 21 Nov 2026 10:01:00 UTC", "no-cache", []obeyStep{{0, false, fetched}}},
		{"Cache-Control: max-age=100\nExpires: 0", "max-age=100, stale-if-error=3600", []obeyStep{{89 * time.Second, false, freshHit}}},
		{"Cache-Control: max-age=100, stale-if-error=50, stale-while-revalidate=0", "max-age=100, stale-if-error=50",
			[]obeyStep{{140 * time.Second, true, staleHit}, {151 * time.Second, true, noAnswer}}},
		{"Cache-Control: max-age=0, stale-if-error=50", "max-age=0, stale-if-error=50",
			[]obeyStep{{40 * time.Second, true, staleHit}, {51 * time.Second, true, noAnswer}}},
	} {
		f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
			o.Freshness.SiteHeaders = freshness.Obey
			o.Freshness.TTL["events"] = 10 * time.Minute
		})
		up := func(w http.ResponseWriter, r *http.Request) {
			for line := range strings.Lines(test.header) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				w.Header().Add(name, value)
			}
			facadetest.Answer(http.StatusOK, `{"id":5}`)(w, r)
		}
		f.Answers(up)
		res, _ := f.Send("GET /events/5")
		if got := res.Header.Get("Cache-Control"); !sameControl(got, test.want) {
			t.Errorf("%q: clients get %q, want %q", test.header, got, test.want)
		}
		for _, step := range test.steps {
			f.Now.Store(int64(step.delay))
			f.Answers(up)
			if step.down {
				f.Answers(facadetest.Answer(http.StatusInternalServerError, `{}`))
			}
			f.Want("GET /events/5", step.want)
		}
		if t.Failed() {
			t.Fatalf("%q", test.header)
		}
	}
}

// sameControl compares without the tenth by which answers live shorter.
func sameControl(got, want string) bool {
	g := strings.Split(got, ", ")
	w := strings.Split(want, ", ")
	if len(g) != len(w) {
		return false
	}
	for i := range g {
		gotName, gotValue, _ := strings.Cut(g[i], "=")
		wantName, wantValue, _ := strings.Cut(w[i], "=")
		if gotName != wantName || seconds(gotValue) < seconds(wantValue)*9/10 || seconds(gotValue) > seconds(wantValue) {
			return false
		}
	}
	return true
}

// TestObeyOriginNegative: a 404 is stored for at most cache.ttl.errors.
func TestObeyOriginNegative(t *testing.T) {
	for control, want := range map[string][2]string{
		"max-age=3600": {"404 hit calls 0", "404 fwd=uri-miss; stored calls 1"},
		"max-age=4":    {"404 fwd=uri-miss; stored calls 1", "404 fwd=uri-miss; stored calls 1"},
		"no-cache":     {"404 fwd=uri-miss calls 1", "404 fwd=uri-miss calls 1"},
	} {
		f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Freshness.SiteHeaders = freshness.Obey })
		f.Answers(facadetest.WithHeader(facadetest.Answer(http.StatusNotFound, `{"code":"none"}`), "Cache-Control", control))
		f.Send("GET /events/5")
		f.Now.Store(int64(5 * time.Second))
		f.Want("GET /events/5", want[0])
		f.Now.Store(int64(20 * time.Second))
		f.Want("GET /events/5", want[1])
	}
}

// TestOriginOverridden: without it the configuration decides, but for private and no-store.
func TestOriginOverridden(t *testing.T) {
	for _, control := range []string{"no-cache", "max-age=0, must-revalidate", "s-maxage=0", "proxy-revalidate",
		`x="no-store, private"`, "x-private"} {
		f := facadetest.NewCachedFacade(t, nil)
		f.Answers(facadetest.WithHeader(facadetest.Answer(200, `{"id":5}`), "Cache-Control", control))
		f.Send("GET /events/5")
		f.Want("GET /events/5", freshHit)
		f.Now.Store(int64(2 * time.Hour / 4))
		f.Answers(facadetest.Answer(http.StatusInternalServerError, `{}`))
		f.Want("GET /events/5", staleHit)
	}
}

// TestNotToBeStored: responses that the site keeps out of caches are also kept out of those
// behind the facade.
func TestNotToBeStored(t *testing.T) {
	for _, field := range []string{"Cache-Control: private", "Cache-Control: max-age=60, No-Store", "Set-Cookie: cart=1"} {
		name, value, _ := strings.Cut(field, ": ")
		for _, cached := range []bool{true, false} {
			f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
				if !cached {
					o.Cache = nil
				}
			})
			for _, status := range []int{200, 404} {
				f.Answers(facadetest.WithHeader(facadetest.Answer(status, `{"id":5}`), name, value))
				for _, line := range []string{"GET /events/5", "HEAD /events/5", "GET /events/5"} {
					res, _ := f.Send(line)
					if got := res.Header.Get("Cache-Control"); got != "private, no-store" || res.StatusCode != status {
						t.Errorf("%s, cached %t: %s: %d, Cache-Control %q", field, cached, line, res.StatusCode, got)
					}
				}
			}
		}
	}
}

func seconds(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
