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

// TestNegativeWeight: a negative entry may have a large body.
func TestNegativeWeight(t *testing.T) {
	const memory, large = 16 << 20, 256 << 10
	c, _ := site{}.cache(t, Options{Memory: memory})
	var n atomic.Int32
	serve(t, c, "read", made(&n, "1", long))
	before := c.Stats()
	serve(t, c, "guess", made(&n, strings.Repeat("x", large), negative))
	_, weight := c.memory.weights()
	if s := c.Stats(); weight < large || s.Bytes != weight+before.Bytes || s.Entries != 2 {
		t.Errorf("a negative entry is counted as %+v, before it %+v", s, before)
	}
	for i := range 100 {
		serve(t, c, fmt.Sprint("guess", i), made(&n, strings.Repeat("x", large), negative))
	}
	_, weight = c.memory.weights()
	if s := c.Stats(); weight > memory/negativePart || s.Bytes > memory || s.Evictions == 0 || s.Limit != memory {
		t.Errorf("after many: %+v", s)
	}
	check(t, "what is read", serve(t, c, "read", failing(&n)), "hit 1 age 0s ttl 1m0s")
}

// TestNegativeTooLarge: a negative entry that is too large still replaces the entry of its key.
func TestNegativeTooLarge(t *testing.T) {
	c, now := site{}.cache(t, Options{MaxEntry: 1000})
	var n atomic.Int32
	serve(t, c, "k", made(&n, "1", long))
	now.pass(24 * time.Hour)
	serve(t, c, "k", made(&n, strings.Repeat("x", 1000), negative))
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
	var kept []*memory // one that is freed late would count in the next case
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
			for _, life := range []Life{long, negative} {
				m := newMemory(1<<30, 4<<20)
				kept = append(kept, m)
				before := alive()
				for i := range entries {
					e := make(i, size)
					e.Life = life
					m.set(fmt.Sprintf("events.list:en::page=%d&%s", i, strings.Repeat("parameter=value&", 5)), e)
				}
				plain, nothing := m.weights()
				taken, weight := alive()-before, int64(plain+nothing)
				t.Logf("%s, %d bytes, negative %v: taken %d, weight %d", name, size, life.Negative,
					taken/int64(entries), weight/int64(entries))
				if ratio := float64(taken) / float64(weight); ratio > 1.05 || ratio < 0.7 {
					t.Errorf("%s, %d bytes, negative %v: %.2f of the weight is taken", name, size, life.Negative, ratio)
				}
			}
		}
	}
	runtime.KeepAlive(kept)
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
		r, err := c.ask(t.Context(), "k", made(&n, "1", long))
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
		if c.Prepare("k", e, size, size); e.Prepared() != size || ask().Prepared() != size {
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
