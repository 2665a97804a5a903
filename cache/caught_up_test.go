package cache

import (
	"fmt"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A purge that has returned holds at every copy, whichever made it, and how often.
func testPurgeHoldsAtOnce(t *testing.T, s site) {
	all := s.instances(t, 3, nil)
	var n atomic.Int32
	for i := range 60 {
		for _, c := range all {
			serve(t, c, "k", made(&n, "old", long, "a"))
		}
		all[i%3].Purge(t.Context(), Purge{Tags: []string{"a"}})
		for j, c := range all {
			if _, ok := c.Fresh("k", func(*Entry) bool { return true }); ok {
				t.Fatalf("purge %d: copy %d has it in memory", i, j)
			}
			if e := c.remote.get(t.Context(), "k"); c.condition(e, c.options.Clock()) >= stale {
				t.Fatalf("purge %d: copy %d has it", i, j)
			}
		}
	}
}

// One that hears late is waited for, or asks before it serves.
func TestPurgeHoldsWhereItIsHeardLate(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{2 * time.Millisecond, 20 * time.Millisecond} {
		t.Run(delay.String(), func(t *testing.T) {
			t.Parallel()
			line, all := instancesOverRelay(t, &redisstore.Options{Budget: aLongTime, PurgeWait: 5 * time.Second}) // a late answer is an answer
			far, near := all[0], all[1]
			var n atomic.Int32
			line.Delay.Store(int64(delay))
			for i := range 10 {
				serve(t, far, "k", made(&n, "old", long, "a"))
				near.Purge(t.Context(), Purge{Tags: []string{"a"}})
				if r, err := far.Serve(t.Context(), "k", failing(&n)); err == nil {
					t.Fatalf("purge %d: the other copy gives %s (%s)", i, r.Entry.Body, r.How)
				}
			}
		})
	}
}

// Who cannot reach Redis believes its memory, or asks the source.
func TestMemoryWhileRedisIsDown(t *testing.T) {
	for _, ask := range []bool{false, true} {
		t.Run(fmt.Sprintf("ask=%v", ask), func(t *testing.T) {
			t.Parallel()
			s := redistest.StartServer(t)
			run := site{urls: []string{s.URL()}, masters: []*redistest.Server{s}}
			c := run.instances(t, 1, func(_ int, o *Options) { o.FetchWithoutRedis = ask })[0]
			var n atomic.Int32
			serve(t, c, "k", made(&n, "1", long))
			s.Kill()
			eventually(t, "found to be down", c.remote.state.Lost)
			eventually(t, "the log is not known any more", func() bool { return !c.remote.state.Current(time.Now()) })
			want, fresh := "hit 1 age 0s ttl 1m0s", true
			if ask {
				want, fresh = "uri-miss 2 age 0s ttl 0s", false
			}
			if _, ok := c.Fresh("k", func(*Entry) bool { return true }); ok != fresh {
				t.Errorf("believed at once: %v", ok)
			}
			r, err := c.Serve(t.Context(), "k", made(&n, "2", long))
			must(t, err)
			check(t, "while it is down", fmt.Sprintf("%s %s age 0s ttl %s", r.How, r.Entry.Body, r.TTL.Round(time.Minute)), want)
			if ask {
				r, err = c.Serve(t.Context(), "k", failing(&n))
				must(t, err)
				check(t, "with the source down too", fmt.Sprint(r.How, string(r.Entry.Body), r.Err), fmt.Sprint(Stale, "1", errDown))
			}
			s.Start()
			eventually(t, "Redis serves again", c.remote.ready)
			check(t, "then, distrusting what was before", serve(t, c, "k", failing(&n)), "error: the source is down")
		})
	}
}

// A purge costs one round trip where there is one instance, and waits for nobody.
func TestPurgeAlone(t *testing.T) {
	t.Parallel()
	s := redistest.StartServer(t)
	c := site{urls: []string{s.URL()}}.instances(t, 1, nil)[0]
	c.Purge(t.Context(), Purge{Tags: []string{"a"}}) // Redis learns the script
	s.Do("CONFIG", "RESETSTAT")
	const purges = 20
	for range purges {
		c.Purge(t.Context(), Purge{Tags: []string{"a"}})
	}
	for command, want := range map[string]string{"evalsha": fmt.Sprint(purges), "publish": ""} {
		stats := s.Admin.InfoMap(t.Context(), "commandstats").Item("Commandstats", "cmdstat_"+command)
		calls, _, _ := strings.Cut(strings.TrimPrefix(stats, "calls="), ",")
		if calls != want {
			t.Errorf("%s: %q calls, want %q (%s)", command, calls, want, stats)
		}
	}
	if got := c.options.Redis.Stats(); got.Unacknowledged != 0 || got.Followers != 1 {
		t.Errorf("stats = %+v", got)
	}
}

// Who is gone is waited for until it counts no more, and then not.
func TestPurgeAfterAnInstanceIsGone(t *testing.T) {
	t.Parallel()
	s := redistest.StartServer(t)
	all := site{urls: []string{s.URL()}}.instances(t, 2, nil)
	stays, goes := all[0].options.Redis, all[1]
	eventually(t, "they know of one another", func() bool { return stays.Stats().Followers == 2 })
	goes.Close()
	eventually(t, "it counts no more", func() bool { return stays.Stats().Followers == 1 })
	before := stays.Stats().Unacknowledged
	all[0].Purge(t.Context(), Purge{Tags: []string{"a"}})
	if after := stays.Stats().Unacknowledged; after != before {
		t.Errorf("waited for who is gone")
	}
}
