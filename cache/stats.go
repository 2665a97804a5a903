package cache

import (
	"sync/atomic"

	"github.com/maypok86/otter/v2/stats"
)

// Stats counts since New.
type Stats struct {
	Hits, Stale                uint64 // responses from the cache: fresh; stale
	Fetches                    uint64 // from the source
	Purges, Foreign, Evictions uint64
	Doubts                     int // writes whose outcome is not known now
	Pending                    int // purges that Redis has not taken yet

	Bytes    uint64 // of entries in memory now
	Negative uint64 // of these, by negative entries
	Limit    uint64 // the largest value of Bytes
	Entries  int    // in memory now
}

type counters struct{ hits, stale, fetches, purges, foreign atomic.Uint64 }

// evictions counts evictions from memory. The other counters of otter would cost each hit
// something, and are counted here anyway.
type evictions struct {
	stats.NoopRecorder
	n atomic.Uint64
}

// RecordEviction implements [stats.Recorder].
func (e *evictions) RecordEviction(uint32) { e.n.Add(1) }
