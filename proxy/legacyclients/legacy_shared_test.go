package legacyclients_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestLegacyEntriesInRedis: an entry that one instance has stored in Redis, for a client of either
// names, is served by another one, also after a restart. An instance that serves no legacy names shares
// the entries of the neutral ones.
func TestLegacyEntriesInRedis(t *testing.T) {
	t.Parallel()
	server := redistest.StartServer(t)
	var calls atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		linkedEvent("old")(w, r)
	}))
	t.Cleanup(site.Close)
	instance := func(change func(*proxy.Options)) (*facadetest.CachedFacade, *redisstore.Store) {
		store, err := redisstore.Open(redisstore.Options{URLs: []string{"redis://" + server.Address}, Brief: testwait.Limit})
		redistest.Closing(t, store, err)
		shared := cache.New(cache.Options{Shared: store})
		t.Cleanup(shared.Close)
		f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
			o.Cache = shared
			for i, path := range []string{"/wp-json", "/es/wp-json"} {
				o.Site[i].Upstream = site.URL + path
			}
			if change != nil {
				change(o)
			}
		})
		testwait.Until(t, "the purge log is known", func() bool { return shared.ReadLog() && store.Up() })
		return f, store
	}
	const old, neutral = "GET /es/wp-json/tribe/events?per_page=10", "GET /es/events"
	without, _ := instance(nil)
	_, wantNeutral := without.Send(neutral)
	first, _ := instance(facadetest.InLegacyNames)
	_, want := first.SendLegacy(old)
	if calls.Load() != 2 {
		t.Fatalf("%d calls, and the legacy names get %s", calls.Load(), want)
	}
	testwait.Until(t, "both entries are in Redis", func() bool { return len(server.Do("KEYS", "*:e2:*").([]any)) == 2 })
	for _, name := range []string{"another instance", "after a restart"} {
		f, _ := instance(facadetest.InLegacyNames)
		for range 2 { // from Redis, then from memory
			if res, got := f.SendLegacy(old); got != want || res.Header.Get("X-Tec-Total") != "1" {
				t.Errorf("%s: %v %s, want %s", name, res.Header, got, want)
			}
		}
		if _, got := f.Send(neutral); got != wantNeutral {
			t.Errorf("%s: %s, want %s", name, got, wantNeutral)
		}
	}
	if calls.Load() != 2 {
		t.Errorf("%d calls of the site", calls.Load())
	}
}
