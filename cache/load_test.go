package cache

import (
	"context"
	"fmt"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// source is what caches stand before: pages with versions.
type source struct {
	versions [40]atomic.Int64 // that a fetch gives
	purged   [40]atomic.Int64 // that the purging copy may not give less than
}

func (s *source) key(i int) string { return fmt.Sprint("page ", i) }

func (s *source) fetch(i int) Fetch {
	return func(context.Context) (Fetched, error) {
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

// ask asks c for a page and gives the version, with the least that a copy which
// made all the purges may give.
func (s *source) ask(t *testing.T, c *Cache, i int) (got, least int64) {
	least = s.purged[i].Load()
	r, err := c.Serve(t.Context(), s.key(i), s.fetch(i))
	if err != nil {
		t.Errorf("page %d: %v", i, err)
		return least, least
	}
	var page int
	if _, err := fmt.Sscan(string(r.Entry.Body), &page, &got); err != nil || page != i {
		t.Errorf("page %d is %q", i, r.Entry.Body)
	}
	return got, least
}

// underLoad has some dozens of clients ask three copies, one of which keeps
// nothing in memory and one of which writes, while a trouble comes and goes. No
// client gets an error, or another page. Whoever asks the copy that writes never
// gets a page from before a write, and nobody does once the trouble is over.
func underLoad(t *testing.T, s site, comes, goes func()) {
	prefix := redistest.FreshPrefix()
	all := s.instances(t, 3, func(i int, o *Options) {
		o.Redis = open(t, redisstore.Options{URLs: s.urls, Prefix: prefix}) // with the budget that it has in service
		o.Lease = time.Second
		if i == 1 {
			o.MaxEntry = 1
		}
	})
	var from source
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var clients sync.WaitGroup
	for n := range 36 {
		clients.Go(func() {
			for i := n; ctx.Err() == nil; i++ {
				got, least := from.ask(t, all[n%3], i%len(from.versions))
				if n%3 == 0 && got < least {
					t.Errorf("page %d has version %d after the purge of %d", i, got, least)
				}
				select {
				case <-ctx.Done():
				case <-time.After(4 * time.Millisecond): // the others want the processor too
				}
			}
		})
	}
	writes := func() {
		for i := range len(from.versions) / 2 {
			from.write(t.Context(), all[0], i)
		}
	}
	writes()
	comes()
	for _, c := range all {
		eventually(t, "it is noticed", func() bool { return !c.options.Redis.Stats().Up })
	}
	writes()
	// A page that nobody wrote stays in memory.
	for range 100 {
		if r, err := all[2].Serve(t.Context(), from.key(39), from.fetch(39)); err != nil || string(r.Entry.Body) != "39 0" {
			t.Errorf("memory alone gives %+v, %v", r, err)
		}
	}
	goes()
	for _, c := range all {
		eventually(t, "Redis serves again", c.remote.ready)
	}
	stop()
	clients.Wait()
	for i := range from.versions {
		for _, c := range all {
			eventually(t, "the copies agree", func() bool {
				got, _ := from.ask(t, c, i)
				return got == from.versions[i].Load()
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

// TestSlowUnderLoad: a Redis that answers, but later than a request can wait.
func TestSlowUnderLoad(t *testing.T) {
	t.Parallel()
	line := redistest.StartRelay(t, redistest.StartServer(t).Address)
	underLoad(t, site{urls: []string{"redis://" + line.Address}}, func() {
		line.Delay.Store(int64(4 * time.Second / 10))
	}, func() { line.Delay.Store(0) })
}
