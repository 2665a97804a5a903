package cache

import "sync/atomic"

// Stats count since New.
type Stats struct {
	Hits, Stale, Fetches, Passes, Purges, Foreign uint64
	Bytes                                         uint64 // in memory now
	Entries                                       int    // likewise
}

type counters struct{ hits, stale, fetches, passes, purges, foreign atomic.Uint64 }

// Stats gives the counts.
func (c *Cache) Stats() Stats {
	return Stats{
		Hits: c.stats.hits.Load(), Stale: c.stats.stale.Load(), Fetches: c.stats.fetches.Load(),
		Passes: c.stats.passes.Load(), Purges: c.stats.purges.Load(), Foreign: c.stats.foreign.Load(),
		Bytes: c.memory.entries.WeightedSize(), Entries: c.memory.entries.EstimatedSize() + c.memory.negative.EstimatedSize(),
	}
}
