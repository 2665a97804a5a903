package cache

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// testDoubt: entries with the tags of a write in progress are served for a second, and
// afterwards according to its outcome.
func testDoubt(t *testing.T, s site) {
	var n atomic.Int32
	for _, outcome := range []struct {
		name  string
		end   func(*Announcement)
		then  string // the result after it, of an entry fetched before it
		after string // the result two seconds later, of an entry fetched after it
	}{
		{"done", func(a *Announcement) { a.Purge(t.Context(), Purge{Tags: []string{"a"}}) }, "error: the source is down",
			"hit 3 age 2s ttl 58s"},
		{"refused", (*Announcement).Withdraw, "hit 2 age 0s ttl 1m0s", "hit 2 age 2s ttl 58s"},
		{"unknown", func(a *Announcement) { a.Doubt(t.Context(), "test") }, "error: the source is down", "expired 4 age 0s ttl 1s"},
	} {
		t.Run(outcome.name, func(t *testing.T) {
			c, now := s.cache(t, Options{})
			check(t, "before", serve(t, c, "k", made(&n, "1", long, "a", "b")), "uri-miss 1 age 0s ttl 1m0s")
			check(t, "another", serve(t, c, "other", made(&n, "1", long, "b")), "uri-miss 1 age 0s ttl 1m0s")
			now.pass(10 * time.Second)
			a := c.Announce(t.Context(), []string{"a"})
			check(t, "in the first second", serve(t, c, "k", failing(&n)), "hit 1 age 10s ttl 1s")
			now.pass(time.Second)
			if _, ok := c.Fresh(c.Look(), "k"); ok {
				t.Error("fresh after a second")
			}
			check(t, "after it", serve(t, c, "k", made(&n, "2", long, "a")), "expired 2 age 0s ttl 1s")
			check(t, "after it again", serve(t, c, "k", failing(&n)), "hit 2 age 0s ttl 1s")
			check(t, "not in doubt", serve(t, c, "other", failing(&n)), "hit 1 age 11s ttl 49s")
			if got := doubtsOf(c); got != 1 {
				t.Errorf("%d tags in doubt", got)
			}
			outcome.end(a)
			check(t, "then", serve(t, c, "k", failing(&n)), outcome.then)
			serve(t, c, "k", made(&n, "3", long, "a"))
			now.pass(2 * time.Second)
			check(t, "and later", serve(t, c, "k", made(&n, "4", long, "a")), outcome.after)
			check(t, "not in doubt, later", serve(t, c, "other", failing(&n)), "hit 1 age 13s ttl 47s")
		})
	}
}

// testDoubtExpires: a write whose outcome is not reported counts as done, at every instance.
func testDoubtExpires(t *testing.T, s site) {
	all := s.instances(t, 2, func(i int, o *Options) {
		o.Doubt = 300 * time.Millisecond
		if s.redis() && i == 0 {
			o.Doubt = time.Hour // the writer is closed while in doubt
		}
	})
	writer, reader := all[0], all[1]
	var n atomic.Int32
	serve(t, reader, "k", made(&n, "1", long, "a"))
	writer.Announce(t.Context(), []string{"a"})
	if s.redis() {
		writer.Close()
	}
	check(t, "in doubt", serve(t, reader, "k", failing(&n))[:5], "hit 1")
	eventually(t, "the doubt has ended", func() bool { return doubtsOf(reader) == 0 })
	check(t, "then", serve(t, reader, "k", failing(&n)), "error: the source is down")
}

// TestTooManyDoubts: above the limit of tags in doubt all tags are.
func TestTooManyDoubts(t *testing.T) {
	var d doubts
	began := time.Unix(1_800_000_000, 0)
	e := &Entry{Tags: []string{"b"}, Created: began.Add(-time.Hour)}
	for i := range maxDoubts {
		d.add(fmt.Sprint(i), []string{"a"}, began)
	}
	if !d.until(e).IsZero() {
		t.Error("in doubt because of another tag")
	}
	d.add("more", []string{"a"}, began.Add(time.Minute))
	d.add("more", []string{"a"}, began) // announced again
	if limit := d.until(e); !limit.Equal(began.Add(time.Minute + certainFor)) {
		t.Errorf("%v", limit)
	}
	d.settle("more")
	d.settle("never heard of")
	for i := range maxDoubts {
		d.settle(fmt.Sprint(i))
	}
	if !d.until(e).IsZero() || len(d.tags)+len(d.byID) != 0 {
		t.Errorf("left: %v", d.tags)
	}
}
