package cache

import (
	"sync/atomic"

	"github.com/maypok86/otter/v2/stats"
)

// Stats counts since New.
type Stats struct {
	Fetches           uint64 // from the source
	Purges, Evictions uint64
	Pending           int // purges that Redis has not taken yet

	Bytes   uint64 // of entries in memory now
	Limit   uint64 // the largest value of Bytes
	Entries int    // in memory now
}

type counters struct{ fetches, purges atomic.Uint64 }

// evictions counts evictions from memory. The other counters of otter would cost each hit
// something, and are counted here anyway.
type evictions struct {
	stats.NoopRecorder
	n atomic.Uint64
}

// RecordEviction implements [stats.Recorder].
func (e *evictions) RecordEviction(uint32) { e.n.Add(1) }

// Stats returns the counters.
func (c *Cache) Stats() Stats {
	bytes := c.memory.weight() // first: it may evict
	return Stats{
		Fetches: c.stats.fetches.Load(), Purges: c.stats.purges.Load(),
		Evictions: c.memory.evicted.n.Load(),
		Bytes:     bytes, Limit: c.memory.bytes,
		Entries: c.memory.entries.EstimatedSize(),
		Pending: c.options.Pending.Len(),
	}
}
