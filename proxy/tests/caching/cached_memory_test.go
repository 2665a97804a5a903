package caching_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// TestEntriesHoldNothingElse: entries do not hold on to the rest of the site's responses.
func TestEntriesHoldNothingElse(t *testing.T) {
	if !testwait.Alone(t) {
		return
	}
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		w.Header().Set("Retry-After", "1") // which is passed on
		for i := range 40 {
			w.Header().Set(fmt.Sprintf("X-Beside-%d", i), strings.Repeat("x", 1000))
		}
		proxytest.WriteItem(w, `{"id":%d,"title":"%s"}`, facadetest.IDIn(r), strings.Repeat("Harbour Lights ", 200))
	}))
	t.Cleanup(legacy.Close)
	store := cache.New(cache.Options{})
	t.Cleanup(store.Close)
	f := proxy.New(proxy.Options{
		PublicURL: facadetest.PublicURL,
		Site:      i18n.Languages{{Code: "en", Root: "/wp-json", Upstream: legacy.URL + "/wp-json"}},
		Cache:     store,
		Freshness: freshness.Options{TTL: map[string]time.Duration{"events": time.Hour}},
	})
	t.Cleanup(f.Close)
	ask := func(id int) {
		w := httptest.NewRecorder()
		f.ServeHTTP(w, httptest.NewRequest(http.MethodGet, fmt.Sprintf("/wp-json/calendar/events/v1/events/%d", id), nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	ask(1)
	baseline := collected(t)
	empty := store.Stats().Bytes
	const entries = 300
	for i := range entries {
		ask(2 + i)
	}
	weight := store.Stats().Bytes - empty
	growth := collected(t) - baseline
	t.Logf("each takes %d, weight %d", growth/entries, weight/entries)
	if float64(growth) > 1.2*float64(weight) {
		t.Errorf("each takes %d bytes, weight %d", growth/entries, weight/entries)
	}
}
