package cache

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2/stats"
)

// Stats count since New.
type Stats struct {
	Hits, Stale, Misses                uint64 // lookups: fresh; given though stale; neither
	Fetches, Collapsed                 uint64 // from the source; answers that were another's fetch
	Passes, Purges, Foreign, Evictions uint64
	Doubts                             int    // writes whose outcome is not known now
	Bytes                              uint64 // in memory now
	Entries                            int    // likewise
}

type counters struct{ hits, stale, misses, fetches, collapsed, passes, purges, foreign atomic.Uint64 }

// Stats gives the counts.
func (c *Cache) Stats() Stats {
	return Stats{
		Hits: c.stats.hits.Load(), Stale: c.stats.stale.Load(), Misses: c.stats.misses.Load(),
		Fetches: c.stats.fetches.Load(), Collapsed: c.stats.collapsed.Load(), Evictions: c.memory.evicted.n.Load(),
		Passes: c.stats.passes.Load(), Purges: c.stats.purges.Load(), Foreign: c.stats.foreign.Load(),
		Doubts: int(c.log.doubts.open.Load()),
		Bytes:  c.memory.entries.WeightedSize(), Entries: c.memory.entries.EstimatedSize() + c.memory.negative.EstimatedSize(),
	}
}

// LogLag gives the seconds since the purge log was last known to its end: a
// fraction of one while Redis answers, +Inf before the first time, 0 without it.
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

// evictions counts what leaves memory for want of room. The other counts of
// otter would cost each hit something, and are counted here anyway.
type evictions struct {
	stats.NoopRecorder
	n atomic.Uint64
}

// RecordEviction implements [stats.Recorder].
func (e *evictions) RecordEviction(uint32) { e.n.Add(1) }
