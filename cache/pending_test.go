package cache

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// TestPendingPurges: a purge that Redis did not take outlives its cache, as at a reload, and the next
// one appends it without a request.
func TestPendingPurges(t *testing.T) {
	t.Parallel()
	shared := redisstore.Options{Brief: calmTimeout, Timeout: calmTimeout}
	line, caches := instancesOverRelay(t, &shared)
	second := caches[1]
	var pending Pending
	behind := open(t, redisstore.Options{URLs: []string{"redis://" + line.Address}, Prefix: shared.Prefix})
	cut := start(t, Options{Pending: &pending, Shared: behind})
	var n atomic.Int32
	serve(t, second, "k", fetcher(&n, "old", long, "a"))
	serve(t, second, "kept", fetcher(&n, "old", long, "b"))
	line.Cut(true)
	if cut.Purge(t.Context(), Purge{Tags: []string{"a"}}) || pending.Len() != 1 || cut.Stats().Pending != 1 {
		t.Fatalf("%d purges are pending", pending.Len())
	}
	if r, err := cut.ask(t.Context(), "k", fetcher(&n, "new", long, "a")); err != nil || string(r.Entry.Body) != "new" {
		t.Errorf("with a purge pending: %+v %v", r, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if tags := pending.Wait(ended); !slices.Equal(tags, []string{"a"}) {
		t.Errorf("left: %q", tags)
	}
	cut.Close()
	must(t, redisOf(cut).Close())

	start(t, Options{Pending: &pending, Shared: open(t, shared)})
	if tags := pending.Wait(t.Context()); tags != nil {
		t.Errorf("still left: %q", tags)
	}
	check(t, "the other instance", serve(t, second, "k", failing(&n)), "error: the source is down")
	if got := serve(t, second, "kept", failing(&n)); !strings.HasPrefix(got, "hit old ") {
		t.Errorf("what was not purged: %q", got)
	}
}

// TestPendingWithoutRequests: a pending purge is appended once Redis is back, though nobody asks: also if
// Redis was away for shorter than it takes to count as down, and if another cache of the process has
// left it. So a process that ends has nothing pending.
func TestPendingWithoutRequests(t *testing.T) {
	t.Parallel()
	server := redistest.StartServer(t)
	line := redistest.StartRelay(t, server.Address)
	o := redisstore.Options{URLs: []string{"redis://" + line.Address}, Prefix: redistest.FreshPrefix()}
	var pending Pending
	begin := func() (*Cache, *redisstore.Store) {
		r := open(t, o)
		c := New(Options{Pending: &pending, Shared: r})
		t.Cleanup(c.Close)
		return c, r
	}
	line.Cut(true)
	first, r := begin()
	first.Purge(t.Context(), Purge{Tags: []string{"a"}})
	second, r2 := begin()
	end := func(c *Cache, r *redisstore.Store) {
		c.Close()
		must(t, r.Close())
	}
	end(first, r)
	eventually(t, "a log read has failed", func() bool { s := r2.Stats(); return s.Errors+s.Timeouts > 0 })
	line.Cut(false)
	if tags := pending.Wait(t.Context()); tags != nil {
		t.Errorf("left: %q", tags)
	}
	third, _ := begin()
	line.Cut(true)
	second.Purge(t.Context(), Purge{Tags: []string{"b"}}) // of a write that the reload overtook
	end(second, r2)
	line.Cut(false)
	if tags := pending.Wait(t.Context()); tags != nil {
		t.Errorf("left: %q", tags)
	}
	if !third.ReadLog() {
		t.Error("a log read fails")
	}
	for _, tag := range []string{"a", "b"} {
		if got, _ := third.log.judge(&Entry{Tags: []string{tag}}); got == valid {
			t.Errorf("the cache in use does not know the purge of %s", tag)
		}
	}
}

// TestOwnWriteWithoutRedis: after an entry of another instance was read, which is later than all that
// this one knew, a purge without Redis reaches it.
func TestOwnWriteWithoutRedis(t *testing.T) {
	t.Parallel()
	s := redistest.StartServer(t)
	site := site{urls: []string{s.URL()}, masters: []*redistest.Server{s}}
	caches := site.instances(t, 2, nil)
	var n atomic.Int32
	caches[0].Purge(t.Context(), Purge{Tags: []string{"other"}}) // the second has not read the log since
	current := caches[1].ReadLog()
	caches[0].Purge(t.Context(), Purge{Tags: []string{"other"}})
	serve(t, caches[0], "k", fetcher(&n, "old", long, "a"))
	untilInRedis(t, caches[0], "k")
	if r, err := caches[1].Serve(t.Context(), current, "k", failing(&n)); err != nil || string(r.Entry.Body) != "old" {
		t.Fatalf("%+v %v", r, err)
	}
	s.Kill()
	caches[1].Purge(t.Context(), Purge{Tags: []string{"a"}})
	check(t, "its own write", serve(t, caches[1], "k", failing(&n)), "error: the source is down")
}

// TestOwnWriteAfterFlush: a purge reaches the entries that are stored here also if Redis was emptied after its clock
// was set back, so that the purge has an earlier position than the entry.
func TestOwnWriteAfterFlush(t *testing.T) {
	t.Parallel()
	s := redistest.StartServer(t)
	prefix := redistest.FreshPrefix()
	c := start(t, Options{Shared: open(t, redisstore.Options{
		URLs: []string{s.URL()}, Prefix: prefix, Timeout: calmTimeout, ReadLogEvery: aLongTime,
	})})
	foreign := record{Version: recordVersion, Purge: Purge{Tags: []string{"other"}}}
	s.Do("XADD", prefix+":log", time.Now().Add(time.Hour).UnixMilli(), "r", string(foreign.encode()))
	c.Purge(t.Context(), Purge{Tags: []string{"other"}})
	var n atomic.Int32
	serve(t, c, "k", fetcher(&n, "old", long, "a"))
	s.Do("FLUSHALL")
	c.Purge(t.Context(), Purge{Tags: []string{"a"}})
	check(t, "its own write", serve(t, c, "k", failing(&n)), "error: the source is down")
}

// TestPauses: a pause of Redis that is shorter than the times of log reads and purges makes nothing old:
// once Purge has returned, no instance serves an entry that it purged. There are 100 purges of each pause.
func TestPauses(t *testing.T) {
	for _, pause := range []time.Duration{60 * time.Millisecond, 150 * time.Millisecond, 300 * time.Millisecond} {
		for _, fetch := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/fetch=%t", pause, fetch), func(t *testing.T) {
				t.Parallel()
				s := redistest.StartServer(t)
				prefix := redistest.FreshPrefix()
				caches := site{urls: []string{s.URL()}}.instances(t, 2, func(_ int, o *Options) {
					o.Shared = open(t, redisstore.Options{URLs: []string{s.URL()}, Prefix: prefix}) // with the default times
					o.FetchWithoutRedis = fetch
				})
				for range 5 {
					for page := range 20 {
						for _, c := range caches {
							serve(t, c, fmt.Sprint(page), fetcher(new(atomic.Int32), "old", long, fmt.Sprint(page)))
						}
					}
					s.Freeze()
					time.AfterFunc(pause, s.Resume)
					var writers sync.WaitGroup
					for page := range 20 {
						writers.Go(func() { purgedEverywhere(t, caches, fmt.Sprint(page)) })
					}
					writers.Wait()
				}
			})
		}
	}
}

// TestPausesAfterWrites: a pause of Redis that begins once a purge was shared shows nothing older at another
// instance until Redis counts as down.
func TestPausesAfterWrites(t *testing.T) {
	for _, fetch := range []bool{false, true} {
		t.Run(fmt.Sprintf("fetch=%t", fetch), func(t *testing.T) {
			t.Parallel()
			s := redistest.StartServer(t)
			prefix := redistest.FreshPrefix()
			caches := site{urls: []string{s.URL()}}.instances(t, 2, func(_ int, o *Options) {
				o.Shared = open(t, redisstore.Options{URLs: []string{s.URL()}, Prefix: prefix}) // with the default times
				o.FetchWithoutRedis = fetch
			})
			reader := caches[1]
			var fetches atomic.Int32
			serve(t, reader, "k", fetcher(&fetches, "old", long, "a"))
			caches[0].Purge(t.Context(), Purge{Tags: []string{"a"}})
			s.Freeze()
			for range 3 {
				var readers sync.WaitGroup
				for range 20 {
					readers.Go(func() {
						r, err := reader.ask(t.Context(), "k", fetcher(&fetches, "new", long, "a"))
						if (err != nil || string(r.Entry.Body) == "old") && (fetch || redisOf(reader).Up()) {
							t.Errorf("%+v, %v", r, err)
						}
					})
				}
				readers.Wait()
			}
			s.Resume()
		})
	}
}

// purgedEverywhere purges a page at the first instance, and asks the others for it.
func purgedEverywhere(t *testing.T, caches []*Cache, page string) {
	if shared := caches[0].Purge(t.Context(), Purge{Tags: []string{page}}); !shared {
		t.Errorf("the purge of page %s was not shared", page)
	}
	for _, c := range caches[1:] {
		if r, err := c.ask(t.Context(), page, failing(new(atomic.Int32))); err == nil {
			t.Errorf("page %s: another instance serves it after its purge: %s", page, r.How)
		}
	}
}
