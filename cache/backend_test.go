package cache

import (
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// backends are the places in which a cache may store entries: memory alone, or memory and Redis in each
// topology.
var backends = []struct {
	name  string
	start func(t testing.TB) site
}{
	{name: "cluster", start: func(t testing.TB) site {
		run := redistest.StartCluster(t)
		return site{urls: run.URLs, masters: run.Masters}
	}},
	{name: "memory", start: func(testing.TB) site { return site{} }},
	{name: "sentinel", start: func(t testing.TB) site {
		run := redistest.StartSentinel(t)
		return site{urls: run.URLs(), masters: []*redistest.Server{run.Master}, instead: run.Await}
	}},
	{name: "single", start: func(t testing.TB) site {
		s := redistest.StartServer(t)
		return site{urls: []string{s.URL()}, masters: []*redistest.Server{s}}
	}},
}

// behaviours are tested on every backend.
var behaviours = []struct {
	name string
	test func(*testing.T, site)
}{
	{name: "coalescing", test: testCoalescing},
	{name: "pending write", test: testPendingWrite},
	{name: "pending write expires", test: testPendingWriteExpires},
	{name: "known elsewhere", test: testKnownElsewhere},
	{name: "not shared", test: testNotShared},
	{name: "not shared across instances", test: testNotSharedAcrossInstances},
	{name: "one fetch of all instances", test: testOneFetchOfAllInstances},
	{name: "purge", test: testPurge},
	{name: "purge holds at once", test: testPurgeHoldsAtOnce},
	{name: "purge overtakes fetch", test: testPurgeOvertakesFetch},
	{name: "purge overtakes shared fetch", test: testPurgeOvertakesSharedFetch},
	{name: "purge reaches instances", test: testPurgeReachesInstances},
	{name: "serve", test: testServe},
	{name: "shared entry", test: testSharedEntry},
	{name: "slow fetch serves stale", test: testSlowFetchServesStale},
	{name: "slow fetch without stale", test: testSlowFetchWithoutStale},
	{name: "stale from redis", test: testStaleFromRedis},
	{name: "stale if error", test: testStaleIfError},
	{name: "stale while revalidate", test: testStaleWhileRevalidate},
	{name: "tag spaces", test: testTagSpaces},
	{name: "too large", test: testTooLarge},
}

// redisBehaviours are tested on each backend with a Redis, which these tests share.
var redisBehaviours = []struct {
	name string
	test func(*testing.T, site)
}{
	{name: "foreign in redis", test: testForeignInRedis},
	{name: "lease holder dies", test: testLeaseHolderDies},
	{name: "lease holder panics", test: testLeaseHolderPanics},
	{name: "purge overtakes lease", test: testPurgeOvertakesLease},
}

// redisFaults are faults of a Redis. Each test has a separate one.
var redisFaults = []struct {
	name string
	test func(*testing.T, site)
}{
	{name: "flushed", test: testFlushed},
	{name: "frozen under load", test: testFrozenUnderLoad},
	{name: "full", test: testFull},
	{name: "gone and back", test: testRedisGoneAndBack},
	{name: "killed under load", test: testKilledUnderLoad},
	{name: "node lost", test: testNodeLost},
}

// TestBackends runs the same behaviours on every backend.
func TestBackends(t *testing.T) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := b.start(t)
			cases := behaviours
			if s.redis() {
				cases = append(cases[:len(cases):len(cases)], redisBehaviours...)
			}
			for _, p := range cases {
				t.Run(p.name, func(t *testing.T) {
					t.Parallel()
					p.test(t, s)
				})
			}
		})
	}
}

// TestRedisFaults runs the faults of a Redis in each topology.
func TestRedisFaults(t *testing.T) {
	t.Parallel()
	for _, b := range backends {
		for _, p := range redisFaults {
			t.Run(b.name+"/"+p.name, func(t *testing.T) {
				t.Parallel()
				if s := b.start(t); s.redis() {
					p.test(t, s)
				}
			})
		}
	}
}

// site is a backend that runs.
type site struct {
	urls    []string // of Redis; empty for memory alone
	masters []*redistest.Server
	instead func(testing.TB) // waits for the replacement of a master that died; nil without a master
}

func (s site) redis() bool { return len(s.urls) > 0 }

// cache returns a cache on the backend, and its clock.
func (s site) cache(t testing.TB, o Options) (*Cache, *clock) {
	t.Helper()
	var now clock
	o.Clock = now.time
	began := time.Now()
	if s.redis() {
		o.Shared = open(t, redisstore.Options{
			URLs: s.urls, Prefix: redistest.FreshPrefix(), Brief: aLongTime,
			Timeout: aLongTime,
			// The clock of Redis, too, moves by the steps of the test alone.
			Skew: func() time.Duration { return time.Duration(now.now.Load()) - time.Since(began) },
		})
	}
	return start(t, o), &now
}

func start(t testing.TB, o Options) *Cache {
	t.Helper()
	c := New(o)
	t.Cleanup(c.Close)
	if o.Shared != nil {
		eventually(t, "caught up with the log", c.shows)
	}
	return c
}

// calmTimeout is far above the delays of a busy machine, and short enough to wait for it where Redis
// is down.
const calmTimeout = 2 * time.Second

// instances returns caches that share a Redis, each with its own connections, as in
// separate processes. Without Redis there is one process: all are the same cache.
func (s site) instances(t testing.TB, n int, change func(i int, o *Options)) []*Cache {
	t.Helper()
	prefix := redistest.FreshPrefix()
	caches := make([]*Cache, n)
	for i := range caches {
		if !s.redis() && i > 0 {
			caches[i] = caches[0]
			continue
		}
		var o Options
		if s.redis() {
			o.Shared = open(t, redisstore.Options{URLs: s.urls, Prefix: prefix, Brief: calmTimeout, Timeout: calmTimeout})
		}
		if change != nil {
			change(i, &o)
		}
		caches[i] = start(t, o)
	}
	return caches
}

// instancesOverRelay returns two instances. The first reaches Redis through a relay
// that can be cut. It sets options to the second one's.
func instancesOverRelay(t testing.TB, options *redisstore.Options) (line *redistest.Relay, caches []*Cache) {
	t.Helper()
	s := redistest.StartServer(t)
	line = redistest.StartRelay(t, s.Address)
	options.Prefix = redistest.FreshPrefix()
	caches = site{urls: []string{s.URL()}}.instances(t, 2, func(i int, o *Options) {
		options.URLs = []string{s.URL()}
		if i == 0 {
			options.URLs = []string{"redis://" + line.Address}
		}
		o.Shared = open(t, *options)
	})
	return line, caches
}

// settle waits until c has no background work.
func (s site) settle(t testing.TB, c *Cache) {
	t.Helper()
	c.running.Wait()
}

// kill kills the masters; back restarts or replaces them.
func (s site) kill() {
	for _, m := range s.masters {
		m.Kill()
	}
}

func (s site) back(t testing.TB) {
	t.Helper()
	if s.instead != nil {
		s.instead(t)
		return
	}
	for _, m := range s.masters {
		m.Start()
	}
}

// untilInRedis waits until an entry in the memory of c is in Redis. On a busy machine the call that
// stores it may time out, so that it is repeated.
func untilInRedis(t testing.TB, c *Cache, key string) {
	t.Helper()
	eventually(t, "it is in Redis", func() bool {
		entry := lookUp(t, c, key)
		if c.decode(key, entry) != nil {
			return true
		}
		c.put(t.Context(), key, entry.Epoch, c.memory.get(key))
		return false
	})
}

// lookUp looks key up in the Redis of c.
func lookUp(t testing.TB, c *Cache, key string) redisstore.Found {
	t.Helper()
	entry, err := redisOf(c).Find(t.Context(), key, time.Hour)
	must(t, err)
	if entry.Lease != nil {
		entry.Lease.Release(t.Context())
	}
	return entry
}
