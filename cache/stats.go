package cache

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2/stats"
)

// Stats counts since New.
type Stats struct {
	Hits, Stale, Misses                uint64 // lookups: fresh; served stale; neither
	Fetches, Collapsed                 uint64 // from the source; responses that another request fetched
	Passes, Purges, Foreign, Evictions uint64
	Doubts                             int // writes whose outcome is not known now

	Bytes    uint64 // of entries in memory now
	Negative uint64 // of these, those of negative entries
	Limit    uint64 // the largest value of Bytes
	Entries  int    // in memory now
}

type counters struct{ hits, stale, misses, fetches, collapsed, passes, purges, foreign atomic.Uint64 }

// Stats returns the counters.
func (c *Cache) Stats() Stats {
	entries, negative := c.memory.weights()
	return Stats{
		Hits: c.stats.hits.Load(), Stale: c.stats.stale.Load(), Misses: c.stats.misses.Load(),
		Fetches: c.stats.fetches.Load(), Collapsed: c.stats.collapsed.Load(), Evictions: c.memory.evicted.n.Load(),
		Passes: c.stats.passes.Load(), Purges: c.stats.purges.Load(), Foreign: c.stats.foreign.Load(),
		Bytes: entries + negative, Negative: negative, Limit: c.memory.bytes,
		Entries: c.memory.entries.EstimatedSize() + c.memory.negative.EstimatedSize(),
		Doubts:  int(c.log.doubts.open.Load()),
	}
}

// LogLag returns the seconds since the purge log was last known to its end: a fraction of one
// while Redis answers, +Inf before the first time, 0 without Redis.
func (c *Cache) LogLag(now time.Time) float64 {
	if c.remote.redis == nil {
		return 0
	}
	at := c.remote.caughtAt.Load()
	if at == 0 {
		return math.Inf(1)
	}
	return max(0, now.Sub(time.Unix(0, at)).Seconds())
}

// evictions counts evictions from memory. The other counters of otter would cost each hit
// something, and are counted here anyway.
type evictions struct {
	stats.NoopRecorder
	n atomic.Uint64
}

// RecordEviction implements [stats.Recorder].
func (e *evictions) RecordEviction(uint32) { e.n.Add(1) }
