package cache

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/testwait"
)

var negative = Life{Fresh: time.Minute, Negative: true}

// TestFloodOfGuesses: URLs that are requested once, many times as much as there is room for, do not evict the
// entries that clients read, whether the site has something there or not. No entry was used longer ago than
// these, so that a plain LRU has no hit.
func TestFloodOfGuesses(t *testing.T) {
	const memory, size, reads = 16 << 20, 64 << 10, 200
	for name, life := range map[string]Life{"there is nothing": negative, "there is something": long} {
		c, _ := site{}.cache(t, Options{Memory: memory})
		var n atomic.Int32
		get := func(key string, life Life) How {
			r, err := c.ask(t.Context(), key, fetcher(&n, strings.Repeat("x", size), life))
			if err != nil {
				t.Fatal(err)
			}
			return r.How
		}
		for range 3 {
			for i := range reads {
				get(fmt.Sprint("read", i), long)
			}
		}
		hits := 0
		for i := range 2000 {
			get(fmt.Sprint("guess", i), life)
			if get(fmt.Sprint("read", i%reads), long) == Hit {
				hits++
			}
		}
		if s := c.Stats(); hits < 1500 || s.Bytes > memory || s.Evictions < 1500 || s.Limit != memory {
			t.Errorf("%s: %d hits, %+v", name, hits, s)
		}
	}
}

// TestNegativeTooLarge: a negative entry that is too large still replaces the entry of its key.
func TestNegativeTooLarge(t *testing.T) {
	c, now := site{}.cache(t, Options{MaxEntry: 1000})
	var n atomic.Int32
	serve(t, c, "k", fetcher(&n, "1", long))
	now.pass(24 * time.Hour)
	serve(t, c, "k", fetcher(&n, strings.Repeat("x", 1000), negative))
	if s := c.Stats(); s.Entries != 0 || s.Bytes != 0 {
		t.Errorf("still cached: %+v", s)
	}
}

// TestWeightMatchesMemory compares the weight of entries with the heap that they take, for
// fetched entries and for those read from Redis.
func TestWeightMatchesMemory(t *testing.T) {
	if !testwait.Alone(t) {
		return
	}
	var memories []*memory // one that is freed late would count in the next case
	fetched := func(i, size int) *Entry {
		e := benchEntry(size, size/600)
		e.Body = append(make([]byte, 0, size+size/8), e.Body...) // with the spare capacity that rewriting leaves
		e.Fields = append([]Field{}, e.Fields...)
		for j := range e.Fields {
			f := &e.Fields[j]
			f.Values = []string{strings.Clone(f.Values[0])}
		}
		return e
	}
	decoded := func(i, size int) *Entry {
		e, _, err := Decode("k", bytes.Clone(Encode("k", fetched(i, size), time.Now())))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for name, make := range map[string]func(i, size int) *Entry{"fetched": fetched, "decoded": decoded} {
		for _, size := range []int{300, 4000, 40_000} {
			entries := min(3000, 24_000_000/size)
			m := newMemory(1<<30, 4<<20)
			memories = append(memories, m)
			baseline := alive()
			for i := range entries {
				m.set(fmt.Sprintf("events.list:en::page=%d&%s", i, strings.Repeat("parameter=value&", 5)), make(i, size))
			}
			weight := int64(m.weight())
			growth := alive() - baseline
			t.Logf("%s, %d bytes: taken %d, weight %d", name, size, growth/int64(entries), weight/int64(entries))
			if ratio := float64(growth) / float64(weight); ratio > 1.05 || ratio < 0.7 {
				t.Errorf("%s, %d bytes: %.2f of the weight is taken", name, size, ratio)
			}
		}
	}
	runtime.KeepAlive(memories)
}

func alive() int64 {
	var m runtime.MemStats
	for last := uint64(0); last == 0 || m.HeapAlloc < last-last/100; { // until garbage of other tests is collected
		last = m.HeapAlloc
		runtime.GC()
		runtime.GC() // the second empties sync.Pools
		runtime.ReadMemStats(&m)
	}
	return int64(m.HeapAlloc)
}

// TestPrepared: data prepared for an entry counts towards its weight, and is removed with it.
func TestPrepared(t *testing.T) {
	c, now := site{}.cache(t, Options{})
	var n atomic.Int32
	ask := func() *Entry {
		r, err := c.ask(t.Context(), "k", fetcher(&n, "1", long))
		if err != nil {
			t.Fatal(err)
		}
		return r.Entry
	}
	e := ask()
	if e.Prepared() != nil {
		t.Error("something is prepared")
	}
	alone := c.Stats().Bytes
	for _, size := range []int{5000, 3000} {
		c.Prepare("k", e, size, size)
		if e.Prepared() != size || ask().Prepared() != size {
			t.Errorf("%v is prepared", e.Prepared())
		}
		if s := c.Stats(); s.Bytes != alone+uint64(size) || s.Entries != 1 {
			t.Errorf("%+v with %d bytes prepared for %d", s, size, alone)
		}
	}
	c.Purge(context.Background(), Purge{All: true})
	now.pass(time.Second)
	later := ask()
	if s := c.Stats(); later.Prepared() != nil || s.Bytes != alone {
		t.Errorf("after a purge %v is prepared: %+v", later.Prepared(), s)
	}
	c.Prepare("k", e, 1, 1_000_000)
	if s := c.Stats(); later.Prepared() != nil || s.Bytes != alone {
		t.Errorf("for a purged entry %v is prepared: %+v", later.Prepared(), s)
	}
}
