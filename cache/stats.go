package cache

import (
	"sync/atomic"

	"github.com/maypok86/otter/v2/stats"
)

// Stats counts since New.
type Stats struct {
	Hits, Stale, Misses                uint64 // lookups: fresh; served stale; neither
	Fetches, Collapsed                 uint64 // from the source; responses that another request fetched
	Passes, Purges, Foreign, Evictions uint64
	Doubts                             int // writes whose outcome is not known now
	Pending                            int // purges that Redis has not taken yet

	Bytes    uint64 // of entries in memory now
	Negative uint64 // of these, those of negative entries
	Limit    uint64 // the largest value of Bytes
	Entries  int    // in memory now
}

type counters struct{ hits, stale, misses, fetches, collapsed, passes, purges, foreign atomic.Uint64 }

// evictions counts evictions from memory. The other counters of otter would cost each hit
// something, and are counted here anyway.
type evictions struct {
	stats.NoopRecorder
	n atomic.Uint64
}

// RecordEviction implements [stats.Recorder].
func (e *evictions) RecordEviction(uint32) { e.n.Add(1) }
