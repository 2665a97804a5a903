package cache

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// testPendingWrite: entries with the tags of a write in progress are served for a second, and
// afterwards according to its outcome.
func testPendingWrite(t *testing.T, s site) {
	var n atomic.Int32
	for _, outcome := range []struct {
		name  string
		end   func(*Announcement)
		then  string // the result after it, of an entry fetched before it
		later string // the result two seconds later, of an entry fetched after it
	}{
		{
			name:  "done",
			end:   func(a *Announcement) { a.Purge(t.Context(), Purge{Tags: []string{"a"}}) },
			then:  "error: the source is down",
			later: "hit 3 age 2s ttl 58s",
		},
		{
			name:  "refused",
			end:   (*Announcement).Withdraw,
			then:  "hit 2 age 0s ttl 1m0s",
			later: "hit 2 age 2s ttl 58s",
		},
		{
			name:  "unknown",
			end:   func(a *Announcement) { a.KeepPending(t.Context(), "test", nil) },
			then:  "error: the source is down",
			later: "expired 4 age 0s ttl 1s",
		},
	} {
		t.Run(outcome.name, func(t *testing.T) {
			c, now := s.cache(t, Options{})
			check(t, "before", serve(t, c, "k", fetcher(&n, "1", long, "a", "b")), "uri-miss 1 age 0s ttl 1m0s")
			check(t, "another", serve(t, c, "other", fetcher(&n, "1", long, "b")), "uri-miss 1 age 0s ttl 1m0s")
			now.pass(10 * time.Second)
			a := c.Announce(t.Context(), []string{"a"})
			check(t, "in the first second", serve(t, c, "k", failing(&n)), "hit 1 age 10s ttl 1s")
			now.pass(time.Second)
			if _, ok := c.Fresh(c.ReadLog(), "k"); ok {
				t.Error("fresh after a second")
			}
			check(t, "after it", serve(t, c, "k", fetcher(&n, "2", long, "a")), "expired 2 age 0s ttl 1s")
			check(t, "after it again", serve(t, c, "k", failing(&n)), "hit 2 age 0s ttl 1s")
			check(t, "no pending write", serve(t, c, "other", failing(&n)), "hit 1 age 11s ttl 49s")
			if got := pendingWritesOf(c); got != 1 {
				t.Errorf("%d pending writes", got)
			}
			outcome.end(a)
			check(t, "then", serve(t, c, "k", failing(&n)), outcome.then)
			serve(t, c, "k", fetcher(&n, "3", long, "a"))
			now.pass(2 * time.Second)
			check(t, "and later", serve(t, c, "k", fetcher(&n, "4", long, "a")), outcome.later)
			check(t, "no pending write, later", serve(t, c, "other", failing(&n)), "hit 1 age 13s ttl 47s")
		})
	}
}

// testPendingWriteExpires: a write without a reported outcome counts as done, at every instance.
func testPendingWriteExpires(t *testing.T, s site) {
	caches := s.instances(t, 2, func(i int, o *Options) {
		o.WriteExpiry = 300 * time.Millisecond
		if s.redis() && i == 0 {
			o.WriteExpiry = time.Hour // the writer is closed while its write is pending
		}
	})
	writer, reader := caches[0], caches[1]
	var n atomic.Int32
	serve(t, reader, "k", fetcher(&n, "1", long, "a"))
	writer.Announce(t.Context(), []string{"a"})
	if s.redis() {
		writer.Close()
	}
	check(t, "pending", serve(t, reader, "k", failing(&n))[:5], "hit 1")
	eventually(t, "the write has expired", func() bool { return pendingWritesOf(reader) == 0 })
	check(t, "then", serve(t, reader, "k", failing(&n)), "error: the source is down")
}

// TestTooManyPendingWrites: above the limit, a pending write may change everything.
func TestTooManyPendingWrites(t *testing.T) {
	var d pendingWrites
	began := time.Unix(1_800_000_000, 0)
	e := &Entry{Tags: []string{"b"}, Created: began.Add(-time.Hour)}
	for i := range maxPendingWrites {
		d.add(fmt.Sprint(i), []string{"a"}, began)
	}
	if !d.until(e).IsZero() {
		t.Error("pending because of another tag")
	}
	d.add("more", []string{"a"}, began.Add(time.Minute))
	d.add("more", []string{"a"}, began) // announced again
	if limit := d.until(e); !limit.Equal(began.Add(time.Minute + servedFor)) {
		t.Errorf("%v", limit)
	}
	d.end("more")
	d.end("never heard of")
	for i := range maxPendingWrites {
		d.end(fmt.Sprint(i))
	}
	if !d.until(e).IsZero() || len(d.tags)+len(d.byID) != 0 {
		t.Errorf("left: %v", d.tags)
	}
}

// TestOverlappingPendingWrites: an entry is served for a second after the first pending write began, also if writes
// before it have overlapped.
func TestOverlappingPendingWrites(t *testing.T) {
	var d pendingWrites
	began := time.Unix(1_800_000_000, 0)
	e := &Entry{Tags: []string{"a"}, Created: began.Add(-time.Hour)}
	d.add("0", []string{"a"}, began)
	for i := 1; i < 100; i++ {
		now := began.Add(time.Duration(i) * 900 * time.Millisecond)
		d.add(fmt.Sprint(i), []string{"a"}, now)
		d.end(fmt.Sprint(i - 1))
		if limit := d.until(e); !limit.Equal(now.Add(servedFor)) {
			t.Fatalf("write %d: %v", i, limit.Sub(now))
		}
	}
}

// TestUnannouncedWrite: a write of unknown outcome that was not announced purges its tags softly, each once in a
// minute, and few of them.
func TestUnannouncedWrite(t *testing.T) {
	var purges []Purge
	var now clock
	c := New(Options{Clock: now.time, Purged: func(p Purged) { purges = append(purges, p.Purge) }})
	defer c.Close()
	keepPending := func(tags ...string) { c.Unannounced(tags).KeepPending(t.Context(), "test", nil) }
	keepPending("a", "b")
	keepPending("b", "c")
	keepPending("a")
	now.pass(time.Minute)
	keepPending("a")
	want := []Purge{
		{Tags: []string{"a", "b"}, Soft: true, From: "test"},
		{Tags: []string{"c"}, Soft: true, From: "test"},
		{Tags: []string{"a"}, Soft: true, From: "test"},
	}
	if diff := cmp.Diff(want, purges); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	purges = nil
	for i := range 10 * maxUnannounced {
		keepPending(fmt.Sprint(i))
	}
	if len(purges) != maxUnannounced-1 || pendingWritesOf(c) != 0 {
		t.Errorf("%d purges, %d pending writes", len(purges), pendingWritesOf(c))
	}
}

// TestPendingWriteReplacesEarlier: a client has one pending write, with the tags of all its writes.
func TestPendingWriteReplacesEarlier(t *testing.T) {
	c := New(Options{})
	defer c.Close()
	var earlier *Announcement
	for _, tag := range []string{"a", "b", "a"} {
		a := c.Announce(t.Context(), []string{tag})
		a.KeepPending(t.Context(), "test", earlier)
		earlier = a
	}
	for _, tag := range []string{"a", "b"} {
		if verdict, _ := c.log.judge(&Entry{Tags: []string{tag}, Position: c.log.Position()}); verdict != writePending {
			t.Errorf("no write to %s is pending", tag)
		}
	}
	if n := pendingWritesOf(c); n != 1 {
		t.Errorf("%d pending writes", n)
	}
	large := c.Announce(t.Context(), make([]string, maxUnion))
	large.KeepPending(t.Context(), "test", earlier)
	if n := pendingWritesOf(c); n != 2 {
		t.Errorf("%d pending writes, one of them too large for another", n)
	}
}

// TestPendingWriteOfIdleInstance: the second of a pending write begins with its record, not when an instance reads it.
func TestPendingWriteOfIdleInstance(t *testing.T) {
	inOrder(t, func(t *testing.T, m *model, a, b, _ *instance) {
		a.serve(t, func() {})
		b.cache.Announce(t.Context(), []string{"page 0"})
		time.Sleep(2 * time.Second)
		if r, ok := a.cache.Fresh(a.cache.ReadLog(), "page"); ok {
			t.Errorf("fresh for another %s", r.TTL)
		}
	})
}
