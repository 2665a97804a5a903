package caching_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestTargetsWeigh has one client spell hits in all the ways there are: the memory for it is
// counted, and has a bound.
func TestTargetsWeigh(t *testing.T) {
	if testing.Short() {
		t.Skip("one request after the other: there is nothing for -race")
	}
	if !testwait.Alone(t) {
		return
	}
	for name, spelling := range map[string]string{
		"short":      "/wp-json/calendar/events/v1/events/5?%04x",
		"dropped":    "/wp-json/calendar/events/v1/events/5?x%0800x",
		"legacy":     "/wp-json/tribe/events/v1/events/5?x=%04x",
		"search":     "/wp-json/calendar/events/v1/events?search=" + strings.Repeat("%%C3%%A9+", 100) + "&x=%04x",
		"raw search": "/wp-json/calendar/events/v1/events?search=" + strings.Repeat("!'(", 300) + "&x=%04x",
		"parameters": "/wp-json/calendar/events/v1/events?page=2&per_page=7&start_date=2026-01-01&end_date=2027-01-01&categories=1," +
			"2,3&tags=4,5,6&venue=7&organizer=8&featured=true&x=%04x",
	} {
		const limit, few = 4 << 20, 1_000
		side := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), false, func(o *proxy.Options, _ *http.Server) {
			o.Targets, o.Log = limit, nil
			facadetest.InLegacyNames(o)
		})
		f := side.Facade
		ask := func(target string) {
			u, err := url.ParseRequestURI(target)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RequestURI, r.URL = target, u
			if w := httptest.NewRecorder(); true {
				f.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					t.Fatalf("%s: %d %s", target, w.Code, w.Body)
				}
			}
		}
		for i := range 100 { // from the second on they are hits
			ask(fmt.Sprintf(spelling, 0xf000+i))
		}
		baseline := collected(t)
		empty := f.Targets()
		for i := range few {
			ask(fmt.Sprintf(spelling, i))
		}
		size := f.Targets()
		growth := collected(t) - baseline
		weight := size - empty
		t.Logf("%s: each target taken %d, weight %d", name, growth/few, weight/few)
		if ratio := float64(growth) / float64(weight); ratio > 1.1 || ratio < 0.7 {
			t.Errorf("%s: %.2f of the weight is taken", name, ratio)
		}
		for i := range 10_000 {
			ask(fmt.Sprintf(spelling, few+i))
		}
		if many := f.Targets(); many > limit || many < limit/2 {
			t.Errorf("%s, many: %d bytes", name, many)
		}
	}
}

// collected is the size of live objects, once the others were freed.
func collected(t *testing.T) (alive uint64) {
	t.Helper()
	facadetest.Eventually(t, "nothing more is freed", func() bool {
		runtime.GC()
		runtime.GC() // what a sync.Pool had is gone after the second
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		previous := alive
		alive = m.HeapAlloc
		return max(alive, previous)-min(alive, previous) < 4<<10
	})
	return alive
}
