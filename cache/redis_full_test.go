package cache

import (
	"sync/atomic"
	"testing"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// testFull fills a Redis, which then accepts no purge: the instances go on with their memory, and a
// purge made meanwhile reaches the others once there is room.
func testFull(t *testing.T, s site) {
	caches := s.instances(t, 2, nil)
	var n atomic.Int32
	serve(t, caches[0], "k", fetcher(&n, "old", long, "a"))
	untilInRedis(t, caches[0], "k")
	for _, m := range s.masters {
		m.Do("CONFIG", "SET", "maxmemory-policy", "noeviction")
		m.Do("CONFIG", "SET", "maxmemory", "1")
	}
	for _, c := range caches {
		eventually(t, "the end of the log is not known", func() bool { return !c.shows() })
	}
	for i, want := range []How{Hit, Miss} { // in the memory of the first alone
		if r, err := caches[i].ask(t.Context(), "k", fetcher(&n, "again", long, "a")); err != nil || r.How != want {
			t.Errorf("old entry, instance %d: %+v, %v, want %s", i, r, err, want)
		}
	}
	for _, outcome := range []How{Miss, Hit} {
		if r, err := caches[0].ask(t.Context(), "new", fetcher(&n, "new", long, "b")); err != nil || r.How != outcome {
			t.Errorf("new entry: %+v, %v, want %s", r, err, outcome)
		}
	}
	if caches[0].Purge(t.Context(), Purge{Tags: []string{"a"}}) {
		t.Error("Redis accepted the purge")
	}
	check(t, "purged here, at once", serve(t, caches[0], "k", failing(&n)), "error: the source is down")
	for _, m := range s.masters {
		m.Do("CONFIG", "SET", "maxmemory", "0")
	}
	eventually(t, "the other instance receives the purge", func() bool {
		_, err := caches[1].ask(t.Context(), "k", failing(&n))
		return err != nil
	})
	for _, c := range caches {
		eventually(t, "Redis serves again", c.shows)
	}
}

// testNodeLost kills one master alone. Each instance fetches its entries for itself, and no
// client gets an error.
func testNodeLost(t *testing.T, s site) {
	if len(s.masters) < 2 {
		t.Skip("there is one master: see gone and back")
	}
	prefix := redistest.FreshPrefix()
	caches := s.instances(t, 2, func(_ int, o *Options) {
		o.Shared = open(t, redisstore.Options{URLs: s.urls, Prefix: prefix}) // with the default times
	})
	for _, master := range s.masters {
		master.Kill()
		for i := range 200 {
			key := string(rune('a'+i%26)) + string(rune('a'+i/26))
			var n atomic.Int32
			if r, err := caches[i%2].ask(t.Context(), key, fetcher(&n, key, long)); err != nil || string(r.Entry.Body) != key {
				t.Fatalf("%s: %+v, %v", key, r, err)
			}
		}
		master.Start()
		for _, c := range caches {
			eventually(t, "Redis serves again", c.shows)
		}
	}
}
