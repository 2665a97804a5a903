package cache

import (
	"math"

	"github.com/maypok86/otter/v2"
)

// memory is the tier of this process: entries up to a number of bytes, with eviction of those
// that are requested least. Negative entries (404, 400) have a part of their own, so that
// guessing URLs does not evict what people read.
type memory struct {
	entries  *otter.Cache[string, *Entry]
	negative *otter.Cache[string, *Entry]
	bytes    uint64 // limit of both parts
	maxEntry int
	evicted  *evictions
}

// negativePart is the share of negative entries: one in so many bytes.
const negativePart = 16

func newMemory(bytes int64, maxEntry int) *memory {
	m := &memory{bytes: uint64(max(bytes, negativePart)), maxEntry: maxEntry, evicted: new(evictions)}
	m.negative = m.part(m.bytes / negativePart)
	m.entries = m.part(m.bytes - m.bytes/negativePart)
	return m
}

func (m *memory) part(bytes uint64) *otter.Cache[string, *Entry] {
	return otter.Must(&otter.Options[string, *Entry]{
		MaximumWeight: bytes,
		StatsRecorder: m.evicted,
		Weigher:       func(key string, e *Entry) uint32 { return e.weight(key) },
	})
}

func (m *memory) get(key string) *Entry {
	if e, ok := m.entries.GetIfPresent(key); ok {
		return e
	}
	e, _ := m.negative.GetIfPresent(key)
	return e
}

// set stores e under key. An entry that is too large removes the one that was there.
func (m *memory) set(key string, e *Entry) {
	into, other := m.entries, m.negative
	if e.Life.Negative {
		into, other = other, into
	}
	other.Invalidate(key)
	if int(e.weight(key)) > m.maxEntry {
		into.Invalidate(key)
		return
	}
	into.Set(key, e)
	if e.weight(key) > promptly {
		into.CleanUp()
	}
}

// promptly is the size in bytes from which an entry makes otter evict at once, and not soon
// after: on a busy machine some hundred more may be stored meanwhile.
const promptly = 64 << 10

// replace stores e instead of old, if old is still there.
func (m *memory) replace(key string, old, e *Entry) {
	if int(e.weight(key)) > m.maxEntry {
		return
	}
	for _, tier := range []*otter.Cache[string, *Entry]{m.entries, m.negative} {
		tier.ComputeIfPresent(key, func(there *Entry) (*Entry, otter.ComputeOp) {
			if there == old {
				return e, otter.WriteOp
			}
			return nil, otter.CancelOp
		})
	}
}

// weights returns the bytes that the entries of each part take.
func (m *memory) weights() (entries, negative uint64) {
	m.entries.CleanUp() // the last entries set may not be counted yet
	m.negative.CleanUp()
	return m.entries.WeightedSize(), m.negative.WeightedSize()
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
	n := entryOverhead + allocated(len(key)) + allocated(len(e.ETag)) + allocated(cap(e.Body)+cap(e.Gzip))
	for _, f := range e.Fields {
		n += fieldOverhead + allocated(len(f.Name))
		for _, v := range f.Values {
			n += stringHeader + allocated(len(v))
		}
	}
	for _, t := range e.Tags {
		n += stringHeader + max(len(t), tagBytes)
	}
	if p := e.prepared.Load(); p != nil {
		n += p.size
	}
	return uint32(min(n, math.MaxUint32))
}

// allocated returns about the bytes that the allocator takes for n bytes: its size classes
// are 16 to 128 bytes apart at first, then an eighth, and whole pages beyond 32 KiB.
func allocated(n int) int {
	const page = 8 << 10
	switch {
	case n <= 512:
		return (n + 15) &^ 15
	case n <= 32<<10:
		return n + n/16
	}
	return (n + page - 1) &^ (page - 1)
}
