package cache

import (
	"math"
	"sync/atomic"

	"github.com/maypok86/otter/v2"
	"github.com/maypok86/otter/v2/stats"
)

// memory is the tier of this process: entries up to a number of bytes, with eviction of those that are
// requested least (W-TinyLFU): a flood of URLs that nobody else requests does not evict what people read.
type memory struct {
	entries  *otter.Cache[string, *Entry]
	bytes    uint64 // the limit
	maxEntry int
	evicted  *evictions
}

// evictions counts evictions from memory. The other counters of otter would cost each hit
// something, and are counted here anyway.
type evictions struct {
	stats.NoopRecorder
	n atomic.Uint64
}

// RecordEviction implements [stats.Recorder].
func (e *evictions) RecordEviction(uint32) { e.n.Add(1) }

func newMemory(bytes int64, maxEntry int) *memory {
	m := &memory{bytes: uint64(max(bytes, 1)), maxEntry: maxEntry, evicted: new(evictions)}
	m.entries = otter.Must(&otter.Options[string, *Entry]{
		MaximumWeight: m.bytes,
		StatsRecorder: m.evicted,
		Weigher:       func(key string, e *Entry) uint32 { return e.weight(key) },
	})
	return m
}

func (m *memory) get(key string) *Entry {
	e, _ := m.entries.GetIfPresent(key)
	return e
}

// set stores e under key. An entry that is too large removes the one that was there.
func (m *memory) set(key string, e *Entry) {
	if int(e.weight(key)) > m.maxEntry {
		m.entries.Invalidate(key)
		return
	}
	m.entries.Set(key, e)
	if e.weight(key) > promptly {
		m.entries.CleanUp()
	}
}

// promptly is the size in bytes from which an entry makes otter evict at once, and not soon
// after: on a busy machine some hundred more may be stored meanwhile.
const promptly = 64 << 10

// reweigh counts what e takes now, if it is still stored.
func (m *memory) reweigh(key string, e *Entry) {
	if int(e.weight(key)) > m.maxEntry {
		return
	}
	m.entries.ComputeIfPresent(key, func(stored *Entry) (*Entry, otter.ComputeOp) {
		if stored == e {
			return e, otter.WriteOp
		}
		return nil, otter.CancelOp
	})
}

// weight returns the bytes that the entries take.
func (m *memory) weight() uint64 {
	m.entries.CleanUp() // the last entries set may not be counted yet
	return m.entries.WeightedSize()
}

// The weight of an entry is an estimate of the heap that it takes: TestWeightMatchesMemory
// compares the two. Memory that the weights leave out is not bounded.

// The bytes taken beside texts and bodies.
const (
	entryOverhead = 400 // the entry, and in the tier its node, slot of the table, and part of the sketch
	fieldOverhead = 56  // its name's string, and the slice of values
	tagBytes      = 24  // of a tag, at least; they share an array that is made for that many each
	stringHeader  = 16
)

// weight returns the bytes that e takes under key.
func (e *Entry) weight(key string) uint32 {
	n := entryOverhead + allocated(len(key)) + allocated(len(e.ETag)+len(e.Source)) + allocated(cap(e.Body)+cap(e.Gzip))
	for _, f := range e.Fields {
		n += fieldOverhead + allocated(len(f.Name))
		for _, v := range f.Values {
			n += stringHeader + allocated(len(v))
		}
	}
	for _, t := range e.Tags {
		n += stringHeader + max(len(t), tagBytes)
	}
	p := e.prepared.Load()
	if p != nil {
		n += p.size
	}
	return uint32(min(n, math.MaxUint32))
}

// allocated returns about the bytes that the allocator takes for n bytes: its size classes are up to an
// eighth apart.
func allocated(n int) int { return n + n/8 + 8 }
