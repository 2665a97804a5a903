package cache

import "slices"

// Stats returns the counters.
func (c *Cache) Stats() Stats {
	entries, negative := c.memory.weights()
	_, doubts := c.log.doubtful("")
	return Stats{
		Hits: c.stats.hits.Load(), Stale: c.stats.stale.Load(), Fetches: c.stats.fetches.Load(),
		Purges: c.stats.purges.Load(), Foreign: c.stats.foreign.Load(), Evictions: c.memory.evicted.n.Load(),
		Bytes: entries + negative, Negative: negative, Limit: c.memory.bytes,
		Entries: c.memory.entries.EstimatedSize() + c.memory.negative.EstimatedSize(),
		Doubts:  doubts, Pending: c.pending.Len(),
	}
}

// Recent returns the last purges of all instances, the newest first.
func (c *Cache) Recent() []Purged {
	c.recent.mu.Lock()
	defer c.recent.mu.Unlock()
	list := slices.Clone(c.recent.list)
	slices.Reverse(list)
	return list
}
