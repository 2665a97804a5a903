package redisstore

import "sync/atomic"

// Stats counts since Open.
type Stats struct {
	Up                    bool   // Redis works, as far as is known
	Gets, Hits            uint64 // lookups, and those that found an entry
	Puts, PutErrors       uint64 // PutErrors were not stored, for any reason
	Appends, AppendErrors uint64
	Looks                 uint64 // at the log
	Waiting               int64  // calls of Wait that are waiting now
	Errors, Timeouts      uint64 // calls of any kind that failed, or timed out
	Skipped               uint64 // calls not made because Redis was down
	Saturated             uint64 // calls not made because they got no slot in time
	Trips                 uint64 // times that Redis was found to be down
	Probes                uint64 // probes of a Redis that is down
	Followed, Breaks      uint64 // records of the log applied; gaps in it
}

type counters struct {
	gets, hits, puts, putErrors, appends, appendErrors atomic.Uint64
	looks, probes                                      atomic.Uint64
	errors, timeouts, skipped, saturated               atomic.Uint64
	waiting                                            atomic.Int64
	followed, breaks                                   atomic.Uint64
}

// Stats returns the counters.
func (r *Store) Stats() Stats {
	return Stats{
		Up:   r.Up(),
		Gets: r.n.gets.Load(), Hits: r.n.hits.Load(),
		Puts: r.n.puts.Load(), PutErrors: r.n.putErrors.Load(),
		Appends: r.n.appends.Load(), AppendErrors: r.n.appendErrors.Load(),
		Looks: r.n.looks.Load(), Waiting: r.n.waiting.Load(),
		Errors: r.n.errors.Load(), Timeouts: r.n.timeouts.Load(),
		Skipped: r.n.skipped.Load(), Saturated: r.n.saturated.Load(),
		Trips: r.health.trips.Load(), Probes: r.n.probes.Load(),
		Followed: r.n.followed.Load(), Breaks: r.n.breaks.Load(),
	}
}

func (n *counters) failed(err error) {
	if timedOut(err) {
		n.timeouts.Add(1)
		return
	}
	n.errors.Add(1)
}
