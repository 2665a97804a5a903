package cache

import (
	"github.com/maypok86/otter/v2"
)

// memory is the tier of this process: entries up to a number of bytes, those
// kept that are asked for most. What says that there is nothing (404, 400) has a
// place of its own, bounded in number, so that guessing addresses does not push
// out what people read.
type memory struct {
	entries  *otter.Cache[string, *Entry]
	negative *otter.Cache[string, *Entry]
	maxEntry int
	evicted  *evictions
}

// maxNegative is how many entries of nothing are kept.
const maxNegative = 10_000

func newMemory(bytes int64, maxEntry int) *memory {
	evicted := new(evictions)
	return &memory{
		evicted: evicted,
		entries: otter.Must(&otter.Options[string, *Entry]{
			MaximumWeight: uint64(bytes),
			StatsRecorder: evicted,
			Weigher:       func(key string, e *Entry) uint32 { return uint32(len(key) + e.size()) },
		}),
		negative: otter.Must(&otter.Options[string, *Entry]{MaximumSize: maxNegative, StatsRecorder: evicted}),
		maxEntry: maxEntry,
	}
}

func (m *memory) get(key string) *Entry {
	if e, ok := m.entries.GetIfPresent(key); ok {
		return e
	}
	e, _ := m.negative.GetIfPresent(key)
	return e
}

// set keeps e under key. An entry that is too large takes away what stood there.
func (m *memory) set(key string, e *Entry) {
	switch {
	case e.Life.Negative:
		m.negative.Set(key, e)
		m.entries.Invalidate(key)
	case e.size() > m.maxEntry:
		m.drop(key)
	default:
		m.entries.Set(key, e)
		m.negative.Invalidate(key)
	}
}

// replace keeps e in place of old, if old still stands there.
func (m *memory) replace(key string, old, e *Entry) {
	if e.size() > m.maxEntry {
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

func (m *memory) drop(key string) {
	m.entries.Invalidate(key)
	m.negative.Invalidate(key)
}
