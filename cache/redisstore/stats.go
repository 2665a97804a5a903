package redisstore

import "sync/atomic"

// Stats counts since Open.
type Stats struct {
	Up                       bool   // the circuit breaker is closed
	Gets, Hits               uint64 // lookups, and those that found an entry
	Puts, PutErrors          uint64 // PutErrors were not stored, for any reason
	Appends, AppendErrors    uint64
	Unacknowledged           uint64 // purges that an instance had not acknowledged within the purge wait
	Waiting                  int64  // calls of Wait that are waiting now
	Followers                int64  // instances that follow the log; 0 before it was first read
	Errors, Timeouts         uint64 // calls of any kind that failed, or timed out
	Skipped                  uint64 // calls not made because the breaker was open
	Saturated                uint64 // calls not made because they got no slot in time
	Trips                    uint64 // times the breaker opened
	Probes                   uint64 // probes of a Redis that is down
	Followed, Breaks, Losses uint64 // records of the log applied; gaps in it; times it could not be read
}

type counters struct {
	gets, hits, puts, putErrors, appends, appendErrors atomic.Uint64
	unacknowledged                                     atomic.Uint64
	errors, timeouts, skipped, saturated               atomic.Uint64
	waiting                                            atomic.Int64
	followed, breaks, losses                           atomic.Uint64
}

// Stats returns the counters.
func (r *Store) Stats() Stats {
	return Stats{
		Up:   r.Up(),
		Gets: r.n.gets.Load(), Hits: r.n.hits.Load(),
		Puts: r.n.puts.Load(), PutErrors: r.n.putErrors.Load(),
		Appends: r.n.appends.Load(), AppendErrors: r.n.appendErrors.Load(),
		Unacknowledged: r.n.unacknowledged.Load(), Waiting: r.n.waiting.Load(), Followers: r.live.Load(),
		Errors: r.n.errors.Load(), Timeouts: r.n.timeouts.Load(),
		Skipped: r.n.skipped.Load(), Saturated: r.n.saturated.Load(),
		Trips: r.breaker.trips.Load(), Probes: r.breaker.probes.Load(),
		Followed: r.n.followed.Load(), Breaks: r.n.breaks.Load(), Losses: r.n.losses.Load(),
	}
}

func (n *counters) failed(err error) {
	if timedOut(err) {
		n.timeouts.Add(1)
		return
	}
	n.errors.Add(1)
}
