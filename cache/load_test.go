package cache

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// source is the site behind the caches: pages with versions.
type source struct {
	versions [40]atomic.Int64 // that a fetch returns
	purged   [40]atomic.Int64 // the minimum that the purging instance may serve
}

func (s *source) key(i int) string { return fmt.Sprint("page ", i) }

func (s *source) fetch(i int) Fetch {
	return func(context.Context, Reason) (Fetched, error) {
		body := fmt.Appendf(nil, "%d %d", i, s.versions[i].Load())
		return Fetched{Entry: &Entry{Status: 200, Body: body, Tags: []string{s.key(i)}, Life: long}, Store: true, Share: true}, nil
	}
}

// write changes a page and purges it, as a write through c does.
func (s *source) write(ctx context.Context, c *Cache, i int) {
	now := s.versions[i].Add(1)
	c.Purge(ctx, Purge{Tags: []string{s.key(i)}})
	s.purged[i].Store(now)
}

// ask requests a page from c and returns its version, and the minimum that an instance which
// made all the purges may serve.
func (s *source) ask(t *testing.T, c *Cache, i int) (got, minimum int64) {
	minimum = s.purged[i].Load()
	r, err := c.ask(t.Context(), s.key(i), s.fetch(i))
	if err != nil {
		t.Errorf("page %d: %v", i, err)
		return minimum, minimum
	}
	var page int
	if _, err := fmt.Sscan(string(r.Entry.Body), &page, &got); err != nil || page != i {
		t.Errorf("page %d is %q", i, r.Entry.Body)
	}
	return got, minimum
}

// underLoad sends requests of a dozen clients to three instances: one stores
// nothing in memory, and one writes, while a fault begins and ends. No client gets an
// error, or another page. The instance that writes never serves a page from before a write,
// and no instance does once the fault has ended.
func underLoad(t *testing.T, s site, begin, end func()) {
	prefix := redistest.FreshPrefix()
	caches := s.instances(t, 3, func(i int, o *Options) {
		o.Shared = open(t, redisstore.Options{URLs: s.urls, Prefix: prefix}) // with the default budget
		o.Lease = time.Second
		if i == 1 {
			o.MaxEntry = 1
		}
	})
	var site source
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var clients sync.WaitGroup
	for n := range 12 {
		clients.Go(func() {
			for i := n; ctx.Err() == nil; i++ {
				got, minimum := site.ask(t, caches[n%3], i%len(site.versions))
				if n%3 == 0 && got < minimum {
					t.Errorf("page %d has version %d after the purge of %d", i, got, minimum)
				}
				select {
				case <-ctx.Done():
				case <-time.After(4 * time.Millisecond): // leaves the processor to the others
				}
			}
		})
	}
	writes := func() {
		for i := range len(site.versions) / 2 {
			site.write(t.Context(), caches[0], i)
		}
	}
	writes()
	var start []redisstore.Stats
	for _, c := range caches {
		start = append(start, redisOf(c).Stats())
	}
	begin()
	for i, c := range caches {
		// It may be over already: a stall of this process looks like one, too.
		eventually(t, "the fault is detected", func() bool {
			now := redisOf(c).Stats()
			return !now.Up || now.Trips > start[i].Trips
		})
	}
	writes()
	// A page without writes stays in memory.
	for range 100 {
		if r, err := caches[2].ask(t.Context(), site.key(39), site.fetch(39)); err != nil || string(r.Entry.Body) != "39 0" {
			t.Errorf("memory alone serves %+v, %v", r, err)
		}
	}
	end()
	for _, c := range caches {
		eventually(t, "Redis serves again", c.shows)
	}
	stop()
	clients.Wait()
	for i := range site.versions {
		for _, c := range caches {
			eventually(t, "the instances agree", func() bool {
				got, _ := site.ask(t, c, i)
				return got == site.versions[i].Load()
			})
		}
	}
}

func testKilledUnderLoad(t *testing.T, s site) {
	underLoad(t, s, s.kill, func() { s.back(t) })
}

func testFrozenUnderLoad(t *testing.T, s site) {
	underLoad(t, s, func() {
		for _, m := range s.masters {
			m.Freeze()
		}
	}, func() {
		for _, m := range s.masters {
			m.Resume()
		}
	})
}

// TestSlowUnderLoad: a Redis that responds later than a request can wait. It runs by itself: a
// process that other tests keep busy for seconds does not count timeouts (Store.failed in redisstore).
func TestSlowUnderLoad(t *testing.T) {
	line := redistest.StartRelay(t, redistest.StartServer(t).Address)
	underLoad(t, site{urls: []string{"redis://" + line.Address}}, func() {
		line.Delay.Store(int64(4 * time.Second / 10))
	}, func() { line.Delay.Store(0) })
}
