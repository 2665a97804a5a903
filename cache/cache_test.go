package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// clock is a time that only a test moves.
type clock struct{ now atomic.Int64 }

func (c *clock) time() time.Time      { return time.Unix(1_800_000_000, c.now.Load()) }
func (c *clock) pass(d time.Duration) { c.now.Add(int64(d)) }
func newTestCache(t *testing.T) (*Cache, *clock) {
	t.Helper()
	var now clock
	c := New(Options{Clock: now.time})
	t.Cleanup(c.Close)
	return c, &now
}

var errDown = errors.New("the source is down")

// made is a fetch that makes an entry with body, and counts.
func made(count *atomic.Int32, body string, life Life, tags ...string) Fetch {
	return func(context.Context) (Fetched, error) {
		count.Add(1)
		return Fetched{Entry: &Entry{Status: 200, Body: []byte(body), Tags: tags, Life: life}, Store: true, Share: true}, nil
	}
}

func failing(count *atomic.Int32) Fetch {
	return func(context.Context) (Fetched, error) {
		count.Add(1)
		return Fetched{}, errDown
	}
}

func serve(t *testing.T, c *Cache, key string, fetch Fetch) string {
	t.Helper()
	r, err := c.Serve(t.Context(), key, fetch)
	if err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprintf("%s %s age %s ttl %s", r.How, r.Entry.Body, r.Age, r.TTL)
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

var long = Life{Fresh: time.Minute, Revalidate: 5 * time.Minute, OnError: time.Hour}

func TestServe(t *testing.T) {
	c, now := newTestCache(t)
	var n atomic.Int32
	check(t, "first", serve(t, c, "k", made(&n, "1", long)), "uri-miss 1 age 0s ttl 1m0s")
	now.pass(20 * time.Second)
	check(t, "fresh", serve(t, c, "k", made(&n, "2", long)), "hit 1 age 20s ttl 40s")
	check(t, "another key", serve(t, c, "l", made(&n, "3", long)), "uri-miss 3 age 0s ttl 1m0s")
	if n.Load() != 2 {
		t.Errorf("%d fetches, want 2", n.Load())
	}
}

// TestStaleWhileRevalidate: what is stale is given at once, and made anew once.
func TestStaleWhileRevalidate(t *testing.T) {
	c, now := newTestCache(t)
	var n atomic.Int32
	serve(t, c, "k", made(&n, "1", long))
	now.pass(2 * time.Minute)
	began, release := make(chan struct{}, 10), make(chan struct{})
	slow := func(ctx context.Context) (Fetched, error) {
		began <- struct{}{}
		<-release
		return made(&n, "2", long)(ctx)
	}
	for range 5 {
		check(t, "stale", serve(t, c, "k", slow), "stale 1 age 2m0s ttl -1m0s")
	}
	<-began
	close(release)
	c.running.wait()
	check(t, "made anew", serve(t, c, "k", slow), "hit 2 age 0s ttl 1m0s")
	if n.Load() != 2 {
		t.Errorf("%d fetches, want 2", n.Load())
	}
}

// TestStaleIfError: past revalidation a client waits, and gets what is stale if
// nothing better comes; after that, the error.
func TestStaleIfError(t *testing.T) {
	c, now := newTestCache(t)
	var n atomic.Int32
	serve(t, c, "k", made(&n, "1", long))
	now.pass(10 * time.Minute)
	r, err := c.Serve(t.Context(), "k", failing(&n))
	if err != nil || r.How != Stale || !errors.Is(r.Err, errDown) {
		t.Errorf("got %+v, %v", r, err)
	}
	check(t, "works again", serve(t, c, "k", made(&n, "2", long)), "expired 2 age 0s ttl 1m0s")
	now.pass(2 * time.Hour)
	check(t, "too old", serve(t, c, "k", failing(&n)), "error: the source is down")
}

func TestSlowFetchGivesStale(t *testing.T) {
	var now clock
	c := New(Options{Clock: now.time, Slow: time.Millisecond})
	defer c.Close()
	var n atomic.Int32
	serve(t, c, "k", made(&n, "1", long))
	now.pass(10 * time.Minute)
	release := make(chan struct{})
	r, err := c.Serve(t.Context(), "k", func(ctx context.Context) (Fetched, error) {
		<-release
		return made(&n, "2", long)(ctx)
	})
	if err != nil || r.How != Stale || !errors.Is(r.Err, errSlow) {
		t.Errorf("got %+v, %v", r, err)
	}
	close(release)
	c.running.wait()
	check(t, "later", serve(t, c, "k", failing(&n)), "hit 2 age 0s ttl 1m0s")
}

// TestCoalescing: one fetch for all who wait, also if the first of them leaves.
func TestCoalescing(t *testing.T) {
	c, _ := newTestCache(t)
	var n atomic.Int32
	began, release := make(chan struct{}), make(chan struct{})
	slow := func(ctx context.Context) (Fetched, error) {
		close(began)
		<-release
		return made(&n, "1", long)(ctx)
	}
	ctx, leave := context.WithCancel(t.Context())
	first := make(chan error)
	go func() {
		_, err := c.Serve(ctx, "k", slow)
		first <- err
	}()
	<-began
	leave()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the first: %v", err)
	}
	var wait sync.WaitGroup
	for range 100 {
		wait.Go(func() {
			if r, err := c.Serve(t.Context(), "k", failing(&n)); err != nil || string(r.Entry.Body) != "1" {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
	close(release)
	wait.Wait()
	if n.Load() != 1 {
		t.Errorf("%d fetches, want 1", n.Load())
	}
}

// TestPurgeOvertakesFetch is the race that makes caches stale for good: a fetch
// begins, a write changes what it reads and purges, the fetch ends.
func TestPurgeOvertakesFetch(t *testing.T) {
	c, _ := newTestCache(t)
	var n atomic.Int32
	r, err := c.Serve(t.Context(), "k", func(ctx context.Context) (Fetched, error) {
		got, err := made(&n, "old", long, "a")(ctx)
		c.Purge(ctx, Purge{Tags: []string{"a"}})
		return got, err
	})
	if err != nil || r.Stored {
		t.Errorf("got %+v, %v", r, err)
	}
	check(t, "after", serve(t, c, "k", made(&n, "new", long, "a")), "uri-miss new age 0s ttl 1m0s")
	check(t, "then", serve(t, c, "k", failing(&n)), "hit new age 0s ttl 1m0s")
}

func TestPurge(t *testing.T) {
	c, now := newTestCache(t)
	var n atomic.Int32
	serve(t, c, "k", made(&n, "1", long, "a", "b"))
	serve(t, c, "l", made(&n, "1", long, "c"))
	c.Purge(t.Context(), Purge{Tags: []string{"b"}})
	check(t, "purged, source down", serve(t, c, "k", failing(&n)), "error: the source is down")
	check(t, "not purged", serve(t, c, "l", failing(&n)), "hit 1 age 0s ttl 1m0s")
	now.pass(time.Second)
	c.Purge(t.Context(), Purge{All: true, Soft: true})
	check(t, "softly purged, source down", serve(t, c, "l", failing(&n)), "stale 1 age 1s ttl 0s")
}

// TestNotShared: an answer for one client alone is given to nobody else, and
// those who come meanwhile and next do not wait for one another.
func TestNotShared(t *testing.T) {
	c, now := newTestCache(t)
	var n atomic.Int32
	began, release := make(chan struct{}, 10), make(chan struct{})
	alone := func(context.Context) (Fetched, error) {
		mine := n.Add(1)
		began <- struct{}{}
		<-release
		return Fetched{Entry: &Entry{Status: 200, Body: fmt.Append(nil, mine)}}, nil
	}
	bodies := make(chan string, 10)
	ask := func() {
		r, err := c.Serve(t.Context(), "k", alone)
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
	seen := map[string]bool{<-bodies: true, <-bodies: true}
	c.running.wait()

	// From here on nobody waits: the next two are under way at the same time.
	release = make(chan struct{})
	go ask()
	go ask()
	<-began
	<-began
	close(release)
	seen[<-bodies], seen[<-bodies] = true, true
	if len(seen) != 4 {
		t.Errorf("bodies %v, want four", seen)
	}
	now.pass(time.Minute)
	check(t, "shared again", serve(t, c, "k", made(&n, "x", long)), "uri-miss x age 0s ttl 1m0s")
}

// TestNegativeIsBounded: guessing addresses does not push out what people read.
func TestNegativeIsBounded(t *testing.T) {
	c, _ := newTestCache(t)
	var n atomic.Int32
	serve(t, c, "read", made(&n, "1", long))
	for i := range maxNegative + 1000 {
		serve(t, c, fmt.Sprint("guess", i), made(&n, "", Life{Fresh: time.Minute, Negative: true}))
	}
	c.memory.negative.CleanUp()
	if got := c.memory.negative.EstimatedSize(); got > maxNegative {
		t.Errorf("%d kept", got)
	}
	check(t, "what is read", serve(t, c, "read", failing(&n)), "hit 1 age 0s ttl 1m0s")
}

func TestFinish(t *testing.T) {
	c := New(Options{Finish: func(e *Entry) *Entry { return e.WithGzip([]byte("z")) }})
	defer c.Close()
	var n atomic.Int32
	serve(t, c, "k", made(&n, "1", long))
	c.running.wait()
	r, err := c.Serve(t.Context(), "k", failing(&n))
	if err != nil || string(r.Entry.Gzip) != "z" || string(r.Entry.Body) != "1" {
		t.Errorf("got %+v, %v", r.Entry, err)
	}
}

func TestPeek(t *testing.T) {
	c, now := newTestCache(t)
	var n atomic.Int32
	peek := func() string {
		r, ok := c.Peek(t.Context(), "k")
		if !ok {
			return "nothing"
		}
		return fmt.Sprintf("%s %s", r.How, r.Entry.Body)
	}
	check(t, "cold", peek(), "nothing")
	serve(t, c, "k", made(&n, "1", long))
	check(t, "fresh", peek(), "hit 1")
	now.pass(2 * time.Minute)
	check(t, "stale", peek(), "stale 1")
	now.pass(10 * time.Minute)
	check(t, "good for errors only", peek(), "nothing")
}

func TestRenew(t *testing.T) {
	c, now := newTestCache(t)
	var n atomic.Int32
	serve(t, c, "k", made(&n, "1", long))
	if r, err := c.Renew(t.Context(), "k", made(&n, "2", long)); err != nil || r.How != Renewed || string(r.Entry.Body) != "2" {
		t.Errorf("got %+v, %v", r, err)
	}
	now.pass(time.Second)
	check(t, "kept", serve(t, c, "k", failing(&n)), "hit 2 age 1s ttl 59s")
	if _, err := c.Renew(t.Context(), "k", failing(&n)); !errors.Is(err, errDown) {
		t.Errorf("got %v", err)
	}
	check(t, "a failure ends nothing", serve(t, c, "k", failing(&n)), "hit 2 age 1s ttl 59s")
}

func TestTooLargeForMemory(t *testing.T) {
	c := New(Options{MaxEntry: 300})
	defer c.Close()
	var n atomic.Int32
	serve(t, c, "k", made(&n, string(make([]byte, 400)), long))
	serve(t, c, "k", made(&n, "", long))
	if n.Load() != 2 {
		t.Errorf("%d fetches, want 2", n.Load())
	}
}
