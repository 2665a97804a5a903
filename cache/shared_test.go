package cache

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// testOneFetchOfAllInstances: a cold key, four processes, a thousand clients.
func testOneFetchOfAllInstances(t *testing.T, s site) {
	caches := s.instances(t, 4, func(_ int, o *Options) { o.Lease = aLongTime })
	var fetches atomic.Int32
	began := make(chan struct{}, 10)
	release := make(chan struct{})
	fetch := func(ctx context.Context, why Reason) (Fetched, error) {
		began <- struct{}{}
		<-release
		return fetcher(&fetches, "1", long)(ctx, why)
	}
	var wait sync.WaitGroup
	for range 250 {
		for _, c := range caches {
			wait.Go(func() {
				r, err := c.ask(t.Context(), "k", fetch)
				if err != nil || string(r.Entry.Body) != "1" {
					t.Errorf("got %+v, %v", r, err)
				}
			})
		}
	}
	<-began
	close(release)
	wait.Wait()
	if got := fetches.Load(); got != 1 {
		t.Errorf("%d fetches, want 1", got)
	}
}

// testSharedEntry: an entry that one instance fetched is served by the others, with its age,
// whatever their clocks show.
func testSharedEntry(t *testing.T, s site) {
	caches := s.instances(t, 2, func(i int, o *Options) {
		o.Clock = func() time.Time { return time.Now().Add(time.Duration(i) * 30 * 24 * time.Hour) }
	})
	var n atomic.Int32
	serve(t, caches[0], "k", fetcher(&n, "1", long, "a"))
	if s.redis() {
		untilInRedis(t, caches[0], "k")
	}
	r, err := caches[1].ask(t.Context(), "k", failing(&n))
	if err != nil || r.How != Hit || string(r.Entry.Body) != "1" || r.Age > 30*time.Second || r.TTL < 30*time.Second {
		t.Errorf("got %+v, %v", r, err)
	}
	if caches[1].memory.get("k") == nil {
		t.Error("the next request has to read Redis again")
	}
}

// testPurgeReachesInstances: a purge invalidates earlier entries at every instance, in
// memory and in Redis.
func testPurgeReachesInstances(t *testing.T, s site) {
	caches := s.instances(t, 3, nil)
	var n atomic.Int32
	for _, c := range caches {
		serve(t, c, "k", fetcher(&n, "old", long, "a"))
	}
	caches[0].Purge(t.Context(), Purge{Tags: []string{"a"}})
	check(t, "where it was purged, at once", serve(t, caches[0], "k", failing(&n)), "error: the source is down")
	for i, c := range caches[1:] {
		check(t, fmt.Sprint("another instance, at once: ", i), serve(t, c, "k", failing(&n)), "error: the source is down")
	}
}

// testRedisGoneAndBack: without Redis each instance serves from its memory and fetches for
// itself. A purge made meanwhile reaches all once Redis is back.
func testRedisGoneAndBack(t *testing.T, s site) {
	prefix := redistest.FreshPrefix()
	caches := s.instances(t, 2, func(_ int, o *Options) {
		o.Lease = time.Second
		// With the default times: a Sentinel promotes no replica that has had no master for ten seconds.
		o.Shared = open(t, redisstore.Options{URLs: s.urls, Prefix: prefix})
	})
	var n atomic.Int32
	for _, c := range caches {
		serve(t, c, "k", fetcher(&n, "old", long, "a"))
	}
	s.kill()
	for _, c := range caches {
		if r, err := c.ask(t.Context(), "k", failing(&n)); err != nil || string(r.Entry.Body) != "old" {
			t.Errorf("from memory, while the source fails: %+v, %v", r, err)
		}
		if r, err := c.ask(t.Context(), "cold", fetcher(&n, "x", long)); err != nil || string(r.Entry.Body) != "x" {
			t.Errorf("cold: %+v, %v", r, err)
		}
	}
	caches[0].Purge(t.Context(), Purge{Tags: []string{"a"}})
	check(t, "purged here, at once", serve(t, caches[0], "k", failing(&n)), "error: the source is down")
	s.back(t)
	eventually(t, "the other instance receives it", func() bool {
		_, err := caches[1].ask(t.Context(), "k", failing(&n))
		return err != nil
	})
	for _, c := range caches {
		eventually(t, "Redis serves again", c.shows)
	}
}

// testFlushed: an emptied Redis costs fetches, and loses no purge.
func testFlushed(t *testing.T, s site) {
	caches := s.instances(t, 2, nil)
	var n atomic.Int32
	for _, c := range caches {
		serve(t, c, "k", fetcher(&n, "old", long, "a"))
	}
	for _, m := range s.masters {
		m.Do("FLUSHALL")
	}
	caches[0].Purge(t.Context(), Purge{Tags: []string{"a"}})
	eventually(t, "the other instance receives a purge", func() bool {
		_, err := caches[1].ask(t.Context(), "k", failing(&n))
		return err != nil
	})
}

// testForeignInRedis: damaged and foreign data is a miss.
func testForeignInRedis(t *testing.T, s site) {
	caches := s.instances(t, 1, nil)
	c := caches[0]
	redisOf(c).Put(t.Context(), "k", []byte("garbage"), time.Minute)
	var n atomic.Int32
	check(t, "garbage", serve(t, c, "k", fetcher(&n, "1", long)), "uri-miss 1 age 0s ttl 1m0s")
}

// testLeaseHolderDies: the next instance takes over when the lease has expired.
func testLeaseHolderDies(t *testing.T, s site) {
	caches := s.instances(t, 2, func(_ int, o *Options) { o.Lease = 500 * time.Millisecond })
	if f, err := redisOf(caches[0]).Find(t.Context(), "k", 500*time.Millisecond); f.Lease == nil || err != nil {
		t.Fatal(f, err)
	}
	_ = redisOf(caches[0]).Close() // nobody renews the lease
	var n atomic.Int32
	check(t, "the next", serve(t, caches[1], "k", fetcher(&n, "1", long)), "uri-miss 1 age 0s ttl 1m0s")
}

// testPurgeOvertakesLease: after a purge no instance serves a response that another one began to fetch before
// it, although it waits for that.
func testPurgeOvertakesLease(t *testing.T, s site) {
	caches := s.instances(t, 2, func(_ int, o *Options) { o.Lease = aLongTime })
	var fetches atomic.Int32
	began := make(chan string, 10)
	release := make(chan struct{})
	results := make(chan string, 10)
	ask := func(c *Cache, body string) {
		r, err := c.ask(t.Context(), "k", func(ctx context.Context, why Reason) (Fetched, error) {
			began <- body
			<-release
			return fetcher(&fetches, body, long, "a")(ctx, why)
		})
		if err != nil {
			t.Error(err)
			r.Entry = new(Entry)
		}
		results <- string(r.Entry.Body)
	}
	go ask(caches[0], "old")
	<-began
	caches[1].Purge(t.Context(), Purge{Tags: []string{"a"}})
	go ask(caches[1], "new")
	eventually(t, "the other waits", func() bool { return redisOf(caches[1]).Stats().Waiting == 1 })
	close(release)
	if got := []string{<-results, <-results}; !slices.Contains(got, "new") || fetches.Load() != 2 {
		t.Errorf("served %v after %d fetches", got, fetches.Load())
	}
}

// testLeaseHolderPanics: a panic of the holder releases the waiters.
func testLeaseHolderPanics(t *testing.T, s site) {
	caches := s.instances(t, 2, func(_ int, o *Options) { o.Lease = time.Hour })
	func() {
		defer func() { _ = recover() }()
		_, _ = caches[0].ask(t.Context(), "k", func(context.Context, Reason) (Fetched, error) { panic("a bug") })
	}()
	ctx, cancel := context.WithTimeout(t.Context(), aLongTime)
	defer cancel()
	var n atomic.Int32
	if _, err := caches[1].ask(ctx, "k", fetcher(&n, "1", long)); err != nil {
		t.Errorf("the next: %v", err)
	}
}

// testNotSharedAcrossInstances: a response for one client is served to no other at
// any instance, and instances do not wait for one another.
func testNotSharedAcrossInstances(t *testing.T, s site) {
	caches := s.instances(t, 2, nil)
	var n atomic.Int32
	alone := func(context.Context, Reason) (Fetched, error) {
		return Fetched{Entry: &Entry{Status: 200, Body: fmt.Append(nil, n.Add(1))}}, nil
	}
	var bodies sync.Map
	var wait sync.WaitGroup
	for range 50 {
		for _, c := range caches {
			wait.Go(func() {
				r, err := c.ask(t.Context(), "k", alone)
				if err != nil {
					t.Error(err)
					return
				}
				if _, again := bodies.LoadOrStore(string(r.Entry.Body), true); again {
					t.Errorf("%s was served twice", r.Entry.Body)
				}
			})
		}
	}
	wait.Wait()
}

// TestPurgeWaitsForRedis: a purge of an instance that cannot reach Redis reaches the others
// once it can. Until then the instance reads no entries from Redis.
func TestPurgeWaitsForRedis(t *testing.T) {
	line, caches := instancesOverRelay(t, &redisstore.Options{Brief: calmTimeout, Timeout: calmTimeout})
	var n atomic.Int32
	serve(t, caches[1], "k", fetcher(&n, "old", long, "a"))
	untilInRedis(t, caches[1], "k")
	line.Cut(true)
	caches[0].Purge(t.Context(), Purge{Tags: []string{"a"}})
	if caches[0].serves() {
		t.Error("entries are read from Redis although a purge is pending")
	}
	check(t, "the other instance is not notified", serve(t, caches[1], "k", failing(&n))[:7], "hit old")
	line.Cut(false)
	eventually(t, "the other instance receives it", func() bool {
		_, err := caches[1].ask(t.Context(), "k", failing(&n))
		return err != nil
	})
	eventually(t, "Redis serves again", caches[0].shows)
	check(t, "the entry in Redis is purged", serve(t, caches[0], "k", failing(&n)), "error: the source is down")
}

// testTagSpaces: instances with other tags purge, and announce writes to, everything for each other's records.
// A purge that one cache leaves to the next keeps its tags' meaning.
func testTagSpaces(t *testing.T, s site) {
	if !s.redis() {
		return
	}
	caches := s.instances(t, 3, func(i int, o *Options) { o.TagSpace = []string{"one", "one", "two"}[i] })
	var n atomic.Int32
	for i, purger := range caches {
		for j, c := range caches {
			serve(t, c, fmt.Sprint(j), fetcher(&n, "old", long, "b"))
		}
		purger.Purge(t.Context(), Purge{Tags: []string{"a"}})
		for j, c := range caches {
			fetched := n.Load()
			serve(t, c, fmt.Sprint(j), fetcher(&n, "new", long, "b"))
			if shared := purger.options.TagSpace == c.options.TagSpace; shared != (n.Load() == fetched) {
				t.Errorf("a purge of another tag at %d: fetched at %d: %t", i, j, shared)
			}
		}
	}
	for _, c := range caches[1:] {
		a := caches[0].Announce(t.Context(), []string{"a"})
		c.ReadLog()
		got, _ := c.log.judge(&Entry{Tags: []string{"b"}, Position: c.log.Position()})
		if want := c.options.TagSpace == "two"; (got == writePending) != want {
			t.Errorf("write pending: %t, want %t", got == writePending, want)
		}
		a.Purge(t.Context(), Purge{Tags: []string{"a"}})
		c.ReadLog()
		if pendingWritesOf(c) > 0 {
			t.Error("the write is still pending")
		}
	}
}
