package cache

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// benchEntry returns an entry with a plain body of size bytes, a compressed one of a
// fifth of that, and a number of tags.
func benchEntry(size, tags int) *Entry {
	e := &Entry{
		Status: 200, ETag: `"0123456789abcdef01234567"`,
		Body: bytes.Repeat([]byte("x"), size), Gzip: bytes.Repeat([]byte("z"), size/5),
		Fields: []Field{
			{
				Name:   "Cache-Control",
				Values: []string{"max-age=60, stale-while-revalidate=300, stale-if-error=86400"},
			},
			{Name: "Etag", Values: []string{`"0123456789abcdef01234567"`}},
			{Name: "Link", Values: []string{`<https://api.example/wp-json/>; rel="https://api.w.org/"`}},
			{Name: "Vary", Values: []string{"Accept-Encoding, Authorization, Cookie"}},
		},
		Life: Life{Fresh: time.Hour, StaleWhileRevalidate: time.Hour, StaleIfError: time.Hour}, Created: time.Now(),
	}
	for i := range tags {
		e.Tags = append(e.Tags, fmt.Sprintf("en:events:%d", i))
	}
	return e
}

var benchSizes = []struct {
	name       string
	size, tags int
}{{name: "list", size: 40_000, tags: 60}, {name: "single", size: 4_000, tags: 8}}

func BenchmarkEncode(b *testing.B) {
	for _, s := range benchSizes {
		b.Run(s.name, func(b *testing.B) {
			e := benchEntry(s.size, s.tags)
			b.SetBytes(int64(len(Encode("k", e, e.Created))))
			b.ReportAllocs()
			for b.Loop() {
				Encode("k", e, e.Created)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, s := range benchSizes {
		b.Run(s.name, func(b *testing.B) {
			data := Encode("k", benchEntry(s.size, s.tags), time.Now())
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Decode("k", data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestHitAllocatesNothing: a hit in memory makes no garbage. Values that only a fetch needs are made for a fetch.
func TestHitAllocatesNothing(t *testing.T) {
	c := New(Options{})
	t.Cleanup(c.Close)
	fetch := func(context.Context, Reason) (Fetched, error) {
		return Fetched{Entry: benchEntry(4_000, 8), Store: true, Share: true}, nil
	}
	ctx := t.Context()
	if _, err := c.ask(ctx, "key", fetch); err != nil {
		t.Fatal(err)
	}
	allocations := testing.AllocsPerRun(100, func() {
		if got, err := c.ask(ctx, "key", fetch); err != nil || got.How != Hit {
			t.Fatal(got.How, err)
		}
	})
	if allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// BenchmarkHit measures a hit in memory.
func BenchmarkHit(b *testing.B) {
	c := New(Options{})
	b.Cleanup(c.Close)
	fetch := func(context.Context, Reason) (Fetched, error) {
		return Fetched{Entry: benchEntry(4_000, 8), Store: true, Share: true}, nil
	}
	key := "events.list:en::" + strings.Repeat("parameter=value&", 5)
	if _, err := c.ask(b.Context(), key, fetch); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if got, err := c.ask(b.Context(), key, fetch); err != nil || got.How != Hit {
			b.Fatal(got.How, err)
		}
	}
}

// BenchmarkJudge compares an entry of 60 tags with a log of 10,000 purges: right after a
// purge, and between purges.
func BenchmarkJudge(b *testing.B) {
	for _, again := range []bool{true, false} {
		name := "right after a purge"
		if again {
			name = "between purges"
		}
		b.Run(name, func(b *testing.B) {
			l := NewLog()
			for i := range 10_000 {
				l.apply(0, record{Purge: Purge{Tags: []string{fmt.Sprintf("en:venues:%d", i)}}}, time.Time{})
			}
			e := benchEntry(40_000, 60)
			e.Position = l.Position()
			b.ReportAllocs()
			for b.Loop() {
				if !again {
					e.checked.Store(0)
				}
				if got, _ := l.judge(e); got != valid {
					b.Fatal("purged")
				}
			}
		})
	}
}

// BenchmarkMemory measures the heap of 100,000 entries of 4 KB, as a ratio to their own size,
// and to the size of their bodies.
func BenchmarkMemory(b *testing.B) {
	const n = 100_000
	for b.Loop() {
		heap := liveHeap()
		c := New(Options{Memory: 4 << 30})
		var bodies int
		for i := range n {
			// Strings are cloned, because fetched entries share no strings.
			e, _, err := Decode("k", Encode("k", benchEntry(4_000, 8), time.Now()))
			if err != nil {
				b.Fatal(err)
			}
			e.Created = time.Now()
			e.Body = bytes.Clone(e.Body)
			e.Gzip = bytes.Clone(e.Gzip)
			c.memory.set(fmt.Sprintf("events.read:en:%d:", i), e)
			bodies += len(e.Body) + len(e.Gzip)
		}
		grown := float64(liveHeap() - heap)
		stats := c.Stats()
		if stats.Entries < n {
			b.Fatalf("%d entries, want %d", stats.Entries, n)
		}
		b.ReportMetric(grown/float64(stats.Bytes), "heap/own-size")
		b.ReportMetric(grown/float64(bodies), "heap/bodies")
		c.Close()
	}
}

func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
