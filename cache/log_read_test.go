package cache

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// testPurgeHoldsAtOnce: once Purge has returned, no instance serves a purged entry.
func testPurgeHoldsAtOnce(t *testing.T, s site) {
	caches := s.instances(t, 3, nil)
	var n atomic.Int32
	for i := range 60 {
		for _, c := range caches {
			serve(t, c, "k", fetcher(&n, "old", long, "a"))
		}
		caches[i%3].Purge(t.Context(), Purge{Tags: []string{"a"}})
		for j, c := range caches {
			if _, ok := c.Fresh(c.ReadLog(), "k"); ok {
				t.Fatalf("purge %d: instance %d has it in memory", i, j)
			}
			if r, err := c.ask(t.Context(), "k", failing(&n)); err == nil {
				t.Fatalf("purge %d: instance %d serves it: %s", i, j, r.How)
			}
		}
	}
}

// TestPurgeHoldsWithLateNotification: Purge waits for an instance that is notified late, or the
// instance checks the log before it serves.
func TestPurgeHoldsWithLateNotification(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{2 * time.Millisecond, 20 * time.Millisecond} {
		t.Run(delay.String(), func(t *testing.T) {
			t.Parallel()
			line, caches := instancesOverRelay(t, &redisstore.Options{Brief: calmTimeout, Timeout: calmTimeout})
			far, near := caches[0], caches[1]
			var n atomic.Int32
			line.Delay.Store(int64(delay))
			for i := range 10 {
				serve(t, far, "k", fetcher(&n, "old", long, "a"))
				near.Purge(t.Context(), Purge{Tags: []string{"a"}})
				if r, err := far.ask(t.Context(), "k", failing(&n)); err == nil {
					t.Fatalf("purge %d: the other instance serves %s (%s)", i, r.Entry.Body, r.How)
				}
			}
		})
	}
}

// TestMemoryWhileRedisIsDown: an instance that cannot reach Redis serves from memory, or calls
// the source.
func TestMemoryWhileRedisIsDown(t *testing.T) {
	t.Parallel()
	for _, fetch := range []bool{false, true} {
		t.Run(fmt.Sprintf("fetch=%v", fetch), func(t *testing.T) {
			t.Parallel()
			s := redistest.StartServer(t)
			run := site{urls: []string{s.URL()}, masters: []*redistest.Server{s}}
			c := run.instances(t, 1, func(_ int, o *Options) { o.FetchWithoutRedis = fetch })[0]
			var n atomic.Int32
			serve(t, c, "k", fetcher(&n, "1", long))
			s.Kill()
			eventually(t, "Redis is down", func() bool { return !c.ReadLog() && !redisOf(c).Up() })
			want := "hit 1 age 0s ttl 1m0s"
			fresh := true
			if fetch {
				want = "uri-miss 2 age 0s ttl 1m0s"
				fresh = false
			}
			if _, ok := c.Fresh(c.ReadLog(), "k"); ok != fresh {
				t.Errorf("served from memory: %v", ok)
			}
			r, err := c.ask(t.Context(), "k", fetcher(&n, "2", long))
			must(t, err)
			check(t, "while it is down", fmt.Sprintf("%s %s age 0s ttl %s", r.How, r.Entry.Body, r.TTL.Round(time.Minute)), want)
			if fetch {
				r, err = c.ask(t.Context(), "k", failing(&n))
				must(t, err)
				check(t, "with the source down too", fmt.Sprint(r.How, string(r.Entry.Body), r.Err), fmt.Sprint(Stale, "2", errDown))
			}
			s.Start()
			eventually(t, "Redis serves again", c.shows)
			check(t, "then, with earlier entries distrusted", serve(t, c, "k", failing(&n)), "error: the source is down")
		})
	}
}

// TestPurgeCost: a purge costs one round trip, however many instances there are.
func TestPurgeCost(t *testing.T) {
	t.Parallel()
	s := redistest.StartServer(t)
	c := site{urls: []string{s.URL()}}.instances(t, 3, nil)[0]
	s.Do("CONFIG", "RESETSTAT")
	const purges = 20
	for range purges {
		c.Purge(t.Context(), Purge{Tags: []string{"a"}})
	}
	for command, want := range map[string]string{"xadd": fmt.Sprint(purges), "publish": "", "evalsha": ""} {
		stats := s.Admin.InfoMap(t.Context(), "commandstats").Item("Commandstats", "cmdstat_"+command)
		calls, _, _ := strings.Cut(strings.TrimPrefix(stats, "calls="), ",")
		if calls != want {
			t.Errorf("%s: %q calls, want %q (%s)", command, calls, want, stats)
		}
	}
}
