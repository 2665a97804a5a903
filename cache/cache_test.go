package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

func testServe(t *testing.T, s site) {
	c, now := s.cache(t, Options{})
	var n atomic.Int32
	check(t, "first", serve(t, c, "k", fetcher(&n, "1", long)), "uri-miss 1 age 0s ttl 1m0s")
	now.pass(20 * time.Second)
	check(t, "fresh", serve(t, c, "k", fetcher(&n, "2", long)), "hit 1 age 20s ttl 40s")
	check(t, "another key", serve(t, c, "l", fetcher(&n, "3", long)), "uri-miss 3 age 0s ttl 1m0s")
	if n.Load() != 2 {
		t.Errorf("%d fetches, want 2", n.Load())
	}
}

// testStaleWhileRevalidate: a stale entry is served at once, and refreshed once.
func testStaleWhileRevalidate(t *testing.T, s site) {
	c, now := s.cache(t, Options{})
	var n atomic.Int32
	serve(t, c, "k", fetcher(&n, "1", long))
	now.pass(2 * time.Minute)
	began := make(chan struct{}, 10)
	release := make(chan struct{})
	slow := func(ctx context.Context, why Reason) (Fetched, error) {
		began <- struct{}{}
		<-release
		return fetcher(&n, "2", long)(ctx, why)
	}
	for range 5 {
		check(t, "stale", serve(t, c, "k", slow), "stale 1 age 2m0s ttl -1m0s")
	}
	<-began
	close(release)
	s.settle(t, c)
	check(t, "refreshed", serve(t, c, "k", slow), "hit 2 age 0s ttl 1m0s")
	if n.Load() != 2 {
		t.Errorf("%d fetches, want 2", n.Load())
	}
}

// testStaleIfError: after stale-while-revalidate a client waits, and gets the stale
// entry if the fetch fails; after stale-if-error, the error.
func testStaleIfError(t *testing.T, s site) {
	c, now := s.cache(t, Options{})
	var n atomic.Int32
	serve(t, c, "k", fetcher(&n, "1", long))
	now.pass(10 * time.Minute)
	r, err := c.ask(t.Context(), "k", failing(&n))
	if err != nil || r.How != Stale || !errors.Is(r.Err, errDown) {
		t.Errorf("got %+v, %v", r, err)
	}
	check(t, "works again", serve(t, c, "k", fetcher(&n, "2", long)), "expired 2 age 0s ttl 1m0s")
	now.pass(2 * time.Hour)
	check(t, "too old", serve(t, c, "k", failing(&n)), "error: the source is down")
}

// testSlowFetchWithoutStale: a fetch is awaited although it is slow, if the stale entry was purged
// meanwhile. A purge that takes longer on a busy machine than a fetch may do has a longer time.
func testSlowFetchWithoutStale(t *testing.T, s site) {
	var purged atomic.Bool
	for slow := 200 * time.Millisecond; !purged.Load(); slow *= 2 {
		c, now := s.cache(t, Options{Slow: slow})
		var n atomic.Int32
		serve(t, c, "k", fetcher(&n, "1", long, "a"))
		now.pass(10 * time.Minute)
		began := time.Now()
		r, err := c.ask(t.Context(), "k", func(ctx context.Context, why Reason) (Fetched, error) {
			c.Purge(ctx, Purge{Tags: []string{"a"}})
			purged.Store(time.Since(began) < slow)
			<-time.After(2 * slow)
			return fetcher(&n, "2", long, "a")(ctx, why)
		})
		s.settle(t, c) // a fetch that nobody waits for
		if purged.Load() && (err != nil || string(r.Entry.Body) != "2") {
			t.Errorf("got %+v, %v", r, err)
		}
	}
}

func testSlowFetchServesStale(t *testing.T, s site) {
	c, now := s.cache(t, Options{Slow: time.Millisecond})
	var n atomic.Int32
	serve(t, c, "k", fetcher(&n, "1", long))
	now.pass(10 * time.Minute)
	release := make(chan struct{})
	r, err := c.ask(t.Context(), "k", func(ctx context.Context, why Reason) (Fetched, error) {
		<-release
		return fetcher(&n, "2", long)(ctx, why)
	})
	if err != nil || r.How != Stale || !errors.Is(r.Err, errSlow) {
		t.Errorf("got %+v, %v", r, err)
	}
	close(release)
	s.settle(t, c)
	check(t, "later", serve(t, c, "k", failing(&n)), "hit 2 age 0s ttl 1m0s")
}

// testCoalescing: one fetch for all waiters, also if the first of them disconnects or times
// out.
func testCoalescing(t *testing.T, s site) {
	for name, first := range map[string]struct {
		limit func(context.Context) (context.Context, context.CancelFunc)
		want  error
		waits bool // until the fetch is over
	}{
		"cancelled": {limit: context.WithCancel, want: context.Canceled, waits: true},
		"late": {limit: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Millisecond)
		}, want: context.DeadlineExceeded, waits: false},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := s.cache(t, Options{})
			var n atomic.Int32
			began := make(chan struct{})
			release := make(chan struct{})
			slow := func(ctx context.Context, why Reason) (Fetched, error) {
				close(began)
				<-release
				return fetcher(&n, "1", long)(ctx, why)
			}
			ctx, cancel := first.limit(t.Context())
			defer cancel()
			result := make(chan error, 1)
			go func() {
				_, err := c.ask(ctx, "k", slow)
				result <- err
			}()
			<-began
			abandoned, disconnect := context.WithCancel(t.Context())
			disconnect()
			if _, err := c.ask(abandoned, "k", failing(&n)); !errors.Is(err, context.Canceled) {
				t.Errorf("another client that disconnected: %v", err)
			}
			if first.waits {
				cancel()
			} else if err := <-result; !errors.Is(err, first.want) {
				t.Errorf("the first: %v", err)
			}
			var wait sync.WaitGroup
			for range 100 {
				wait.Go(func() {
					if r, err := c.ask(t.Context(), "k", failing(&n)); err != nil || string(r.Entry.Body) != "1" {
						t.Errorf("got %+v, %v", r, err)
					}
				})
			}
			close(release)
			wait.Wait()
			if first.waits {
				if err := <-result; !errors.Is(err, first.want) {
					t.Errorf("the first: %v", err)
				}
			}
			if n.Load() != 1 {
				t.Errorf("%d fetches, want 1", n.Load())
			}
		})
	}
}

// testPurgeOvertakesFetch is the race that leaves a stale entry in a cache: a fetch
// begins, a write changes the item that it reads and purges, the fetch ends.
func testPurgeOvertakesFetch(t *testing.T, s site) {
	c, _ := s.cache(t, Options{})
	var n atomic.Int32
	r, err := c.ask(t.Context(), "k", func(ctx context.Context, why Reason) (Fetched, error) {
		got, err := fetcher(&n, "old", long, "a")(ctx, why)
		c.Purge(ctx, Purge{Tags: []string{"a"}})
		return got, err
	})
	if err != nil || r.Stored {
		t.Errorf("got %+v, %v", r, err)
	}
	check(t, "after", serve(t, c, "k", fetcher(&n, "new", long, "a")), "uri-miss new age 0s ttl 1m0s")
	check(t, "then", serve(t, c, "k", failing(&n)), "hit new age 0s ttl 1m0s")
}

// testPurgeOvertakesSharedFetch: a client that arrives after a purge gets no response from before
// it, even if its fetch is still in progress. These clients share one more fetch.
func testPurgeOvertakesSharedFetch(t *testing.T, s site) {
	for _, purge := range []Purge{{Tags: []string{"a"}}, {Tags: []string{"a"}, Soft: true}, {Tags: []string{"b"}}} {
		for _, life := range []Life{long, {Fresh: time.Minute, Negative: true}, {}} {
			var waiting callers
			c, _ := s.cache(t, Options{Caller: waiting.caller})
			var n atomic.Int32
			began := make(chan struct{}, 10)
			release := make(chan struct{})
			fetch := func(ctx context.Context, why Reason) (Fetched, error) {
				got, err := fetcher(&n, fmt.Sprint(n.Load()), life, "a")(ctx, why)
				began <- struct{}{}
				<-release
				return got, err
			}
			var group sync.WaitGroup
			ask := func(caller, want string) {
				defer group.Done()
				if r, err := c.ask(asCaller(t, caller), "k", fetch); err != nil || string(r.Entry.Body) != want {
					t.Errorf("%v %v: got %+v, %v, want %s", purge, life, r, err, want)
				}
			}
			group.Add(4)
			go ask("the first", "0")
			<-began
			c.Purge(t.Context(), purge)
			want := "1"
			if purge.Tags[0] != "a" {
				want = "0" // the purge does not concern the entry
			}
			for i := range 3 {
				go ask(fmt.Sprint(i), want)
			}
			eventually(t, "all wait", func() bool { return waiting.Load() == 4 })
			close(release)
			group.Wait()
		}
	}
}

func testPurge(t *testing.T, s site) {
	c, now := s.cache(t, Options{})
	var n atomic.Int32
	serve(t, c, "k", fetcher(&n, "1", long, "a", "b"))
	serve(t, c, "l", fetcher(&n, "1", long, "c"))
	c.Purge(t.Context(), Purge{Tags: []string{"b"}})
	check(t, "purged, source down", serve(t, c, "k", failing(&n)), "error: the source is down")
	check(t, "not purged", serve(t, c, "l", failing(&n)), "hit 1 age 0s ttl 1m0s")
	now.pass(time.Second)
	c.Purge(t.Context(), Purge{All: true, Soft: true})
	check(t, "softly purged, source down", serve(t, c, "l", failing(&n)), "stale 1 age 1s ttl 0s")
}

// testNotShared: a response for one client is served to no other, and clients that
// arrive meanwhile and next do not wait for one another.
func testNotShared(t *testing.T, s site) {
	c, now := s.cache(t, Options{})
	var n atomic.Int32
	began := make(chan struct{}, 10)
	release := make(chan struct{})
	alone := func(context.Context, Reason) (Fetched, error) {
		mine := n.Add(1)
		began <- struct{}{}
		<-release
		return Fetched{Entry: &Entry{Status: 200, Body: fmt.Append(nil, mine)}}, nil
	}
	bodies := make(chan string, 10)
	ask := func() {
		r, err := c.ask(t.Context(), "k", alone)
		if err != nil {
			t.Error(err)
			return
		}
		bodies <- string(r.Entry.Body)
	}
	go ask()
	<-began
	go ask()
	close(release)
	answers := map[string]bool{<-bodies: true, <-bodies: true}
	s.settle(t, c)

	// From here on clients do not wait: the next two fetches are concurrent.
	release = make(chan struct{})
	go ask()
	go ask()
	<-began
	<-began
	close(release)
	answers[<-bodies], answers[<-bodies] = true, true
	if len(answers) != 4 {
		t.Errorf("bodies %v, want four", answers)
	}
	now.pass(time.Minute)
	check(t, "shared again", serve(t, c, "k", fetcher(&n, "x", long)), "uri-miss x age 0s ttl 1m0s")
}

// testTooLarge: an entry too large for memory is stored in Redis, if there is one.
func testTooLarge(t *testing.T, s site) {
	c, now := s.cache(t, Options{MaxEntry: 300})
	var n atomic.Int32
	body := string(make([]byte, 400))
	serve(t, c, "k", fetcher(&n, body, long))
	s.settle(t, c)
	now.pass(20 * time.Second)
	want := "uri-miss " + body + " age 0s ttl 1m0s"
	if s.redis() {
		want = "hit " + body + " age 20s ttl 40s"
	}
	check(t, "again", serve(t, c, "k", fetcher(&n, body, long)), want)
}

// testStaleFromRedis: an entry that is stale in Redis alone is served as one that is stale
// in memory.
func testStaleFromRedis(t *testing.T, s site) {
	c, now := s.cache(t, Options{MaxEntry: 300})
	var n atomic.Int32
	body := string(make([]byte, 400))
	serve(t, c, "k", fetcher(&n, body, long))
	s.settle(t, c)
	now.pass(2 * time.Minute)
	want := "stale " + body + " age 2m0s ttl -1m0s"
	if !s.redis() {
		want = "error: the source is down"
	}
	check(t, "during the refresh", serve(t, c, "k", failing(&n)), want)
	s.settle(t, c)
	now.pass(8 * time.Minute)
	if r, err := c.ask(t.Context(), "k", failing(&n)); s.redis() && (err != nil || r.How != Stale || !errors.Is(r.Err, errDown)) {
		t.Errorf("in place of an error: %+v, %v", r, err)
	}
	now.pass(2 * time.Hour)
	check(t, "too old", serve(t, c, "k", failing(&n)), "error: the source is down")
}

// TestClocks: an entry ages while the machine is suspended, when the monotonic clock stands still, and
// gets no younger where the time of day is set back.
func TestClocks(t *testing.T) {
	var jump time.Duration
	c := New(Options{Clock: func() time.Time { return setForward(time.Now(), jump) }})
	t.Cleanup(c.Close)
	var n atomic.Int32
	serve(t, c, "k", fetcher(&n, "1", long))
	jump = -time.Hour
	check(t, "set back", serve(t, c, "k", failing(&n)), "hit 1 age 0s ttl 1m0s")
	jump = 10 * time.Minute
	check(t, "suspended", serve(t, c, "k", fetcher(&n, "2", long)), "expired 2 age 0s ttl 1m0s")
}

// setForward returns t with the time of day set forward by whole seconds, and the monotonic clock as it was.
// Package time keeps the seconds of such a time from bit 30 of its first word on.
func setForward(t time.Time, step time.Duration) time.Time {
	*(*int64)(unsafe.Pointer(&t)) += int64(step/time.Second) << 30
	return t
}
