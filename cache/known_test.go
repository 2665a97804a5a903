package cache

import (
	"context"
	"sync/atomic"
	"testing"
)

// TestKnown: a fetch knows that its key was served before, once the entry was purged.
// That there is no such item is no reason to hurry.
func TestKnown(t *testing.T) {
	serve := func(c *Cache, key string, life Life, want bool) {
		t.Helper()
		_, err := c.ask(t.Context(), key, func(_ context.Context, why Reason) (Fetched, error) {
			if got := why.Known; got != want {
				t.Errorf("%s: known %t", key, got)
			}
			return Fetched{Entry: &Entry{Status: 200, Body: []byte("x"), Tags: []string{"tag"}, Life: life}, Store: life != Life{},
				Share: true}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	missing := long
	missing.Negative = true
	c := New(Options{})
	defer c.Close()
	for _, want := range []bool{false, true, true} {
		serve(c, "item", long, want)
		serve(c, "missing", missing, false)
		serve(c, "passed", Life{}, false)
		c.Purge(t.Context(), Purge{Tags: []string{"tag"}})
	}
}

// testKnownElsewhere: that another instance served the key counts too, with Redis.
func testKnownElsewhere(t *testing.T, s site) {
	caches := s.instances(t, 2, nil)
	var n atomic.Int32
	serve(t, caches[0], "k", fetcher(&n, "1", long, "a"))
	if s.redis() {
		untilInRedis(t, caches[0], "k")
	}
	caches[0].Purge(t.Context(), Purge{Tags: []string{"a"}})
	waited := false
	serve(t, caches[1], "k", func(ctx context.Context, why Reason) (Fetched, error) {
		waited = why.Known
		return fetcher(&n, "2", long, "a")(ctx, why)
	})
	if !waited {
		t.Error("the key is not known")
	}
}
