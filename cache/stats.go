package cache

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2/stats"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Stats counts since New.
type Stats struct {
	Fetches                    uint64 // from the source
	Purges, Foreign, Evictions uint64
	Pending                    int // purges that Redis has not taken yet

	Bytes   uint64 // of entries in memory now
	Limit   uint64 // the largest value of Bytes
	Entries int    // in memory now
}

type counters struct{ fetches, purges, foreign atomic.Uint64 }

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
	entries, negative := c.memory.weights()
	return Stats{
		Fetches: c.stats.fetches.Load(), Purges: c.stats.purges.Load(), Foreign: c.stats.foreign.Load(),
		Evictions: c.memory.evicted.n.Load(),
		Bytes:     entries + negative, Limit: c.memory.bytes,
		Entries: c.memory.entries.EstimatedSize() + c.memory.negative.EstimatedSize(),
		Pending: c.options.Pending.Len(),
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

// maxRecent is the number of purges that [Cache.Recent] returns, and maxRecentTags the number
// of tags of each.
const (
	maxRecent     = 50
	maxRecentTags = 20
)

// Purged is a purge that this process has applied, possibly again.
type Purged struct {
	Purge
	Count int                 // number of tags; [Cache.Recent] returns the first few
	At    redisstore.Position // in the shared log; 0: it is not there, or not yet
	Local bool                // made by this process
	Time  time.Time           // by the clock of Redis, if it is from the shared log

	id string // of the record
}

// recent are the last purges, oldest first.
type recent struct {
	mu   sync.Mutex
	list []Purged
}

// add records a purge, possibly again: it also arrives through the log, and each time that the log is
// read from its beginning.
func (r *recent) add(id string, p Purged) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.id = cmp.Or(id, fmt.Sprint(p.At))
	if i := slices.IndexFunc(r.list, func(e Purged) bool { return e.id == p.id }); i >= 0 {
		if p.Local {
			r.list[i].Local, r.list[i].From = true, p.From
		}
		return
	}
	p.Tags = slices.Clone(p.Tags[:min(len(p.Tags), maxRecentTags)])
	r.list = append(r.list, p)
	slices.SortStableFunc(r.list, func(a, b Purged) int { return a.Time.Compare(b.Time) })
	r.list = r.list[max(0, len(r.list)-maxRecent):]
}
