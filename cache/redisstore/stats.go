package redisstore

import "sync"

// Stats counts since Open.
type Stats struct {
	Up               bool   // Redis works, as far as is known
	Gets, Hits       uint64 // lookups, and those that found an entry
	Looks            uint64 // at the log
	Waiting          uint64 // calls of Wait that are waiting now
	Errors, Timeouts uint64 // calls of any kind that failed, or timed out
	Skipped          uint64 // calls not made because Redis was down
	Trips            uint64 // times that Redis was found to be down
	Followed, Breaks uint64 // records of the log applied; gaps in it
}

type counters struct {
	mu sync.Mutex
	Stats
}

// add adds to a counter of n.
func (n *counters) add(counter *uint64, delta int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	*counter += uint64(delta) // #nosec G115 -- wraps around to subtract
}

// Stats returns the counters.
func (b *base) Stats() Stats {
	b.n.mu.Lock()
	defer b.n.mu.Unlock()
	s := b.n.Stats
	s.Up = b.Up()
	return s
}

func (n *counters) failed(err error) {
	counter := &n.Errors
	if timedOut(err) {
		counter = &n.Timeouts
	}
	n.add(counter, 1)
}
