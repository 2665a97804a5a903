package redisstore

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrDown is returned by calls that were not made because Redis is known to be down.
var ErrDown = errors.New("redis: does not answer")

var (
	errSaturated = errors.New("redis: too many calls at once")        // a call got no slot in time
	errReplica   = errors.New("redis: the purge log is on a replica") // it lags behind, or was the master until now
	errReturning = errors.New("redis: answers again, and may lack purges of other instances")
	errPanicked  = errors.New("redis: the read of the log has panicked") // of the request that made it
)

func timedOut(err error) bool {
	var e net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &e) && e.Timeout()
}

// refused reports whether Redis answered with err, as it would again: it is full, a replica, or
// loads its data.
func refused(err error) bool {
	var answer redis.Error
	return errors.Is(err, errReplica) || errors.As(err, &answer) && !errors.Is(err, redis.Nil)
}

// grace is how long Redis may not answer before it counts as down. Until then a purge is sent
// again before its write is answered, and a log read has its whole time: so a shorter pause of
// Redis makes no instance serve what another one has purged.
const grace = time.Second

// probeEvery is the interval between two probes of a Redis that is down.
const probeEvery = 100 * time.Millisecond

// patience is the timeout of a call that no request waits for. If [Options.Brief] is longer, that
// is its timeout too.
const patience = 500 * time.Millisecond

// connecting is the longest time until the connection of log reads has answered: at a Sentinel or a Cluster that takes six round trips.
const connecting = 2 * time.Second

// settle is how long a Redis that was down must answer before it counts as up. The other instances notice its return
// within a probe, and append the purges that they made meanwhile: a log read before that does not show them.
const settle = probeEvery + 150*time.Millisecond

// health is whether Redis works, by the reads of the log and the purges: a lost node of a
// cluster that does not hold the log costs its own entries alone.
type health struct {
	changed func(cause error) // see [Options.Changed]

	down atomic.Bool

	mu    sync.Mutex
	since time.Time // of the first failure after which nothing succeeded; zero: the last call succeeded
	back  time.Time // of the first success since Redis is down; zero before it
	last  time.Time // of the last success since then
}

// worked is called after Redis has shown that it works, and accepts writes.
func (h *health) worked() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.down.Load() {
		now := time.Now()
		if h.back.IsZero() || now.Sub(h.last) > grace {
			h.back = now
		}
		h.last = now
		if time.Since(h.back) < settle {
			return
		}
		h.down.Store(false)
		defer h.changed(nil)
	}
	h.since = time.Time{}
	h.back = time.Time{}
}

// failed is called after a failure of a call that began at a time. It reports whether Redis has
// just been found to be down. A refusal is certain at once.
func (h *health) failed(began time.Time, cause error) (tripped bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if began.Before(h.back) {
		return false // the call is older than the success
	}
	if timedOut(cause) && !h.back.IsZero() && time.Since(h.last) < grace {
		return false // a slow answer: a log read that also appends pending purges takes two round trips
	}
	h.back = time.Time{}
	if h.since.IsZero() {
		h.since = began
	}
	if h.down.Load() || !refused(cause) && time.Since(h.since) < grace {
		return false
	}
	h.down.Store(true)
	h.changed(cause)
	return true
}

// failing returns for how long nothing has succeeded; 0: the last call succeeded.
func (h *health) failing() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.since.IsZero() {
		return 0
	}
	return max(1, time.Since(h.since))
}

// returning reports whether Redis is down, and works again.
func (h *health) returning() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.back.IsZero()
}

// patient reports whether a call to a Redis that is down may take its whole time: Redis is not known to be
// down for longer than grace, or works again.
func (h *health) patient() bool { return h.failing() < grace || h.returning() }

// pace is how long this Redis takes to answer: the mean of its recent answers, in nanoseconds; 0 before the first.
type pace struct{ mean atomic.Int64 }

// near is the longest round trip to a Redis whose connections cost nothing to make again.
const near = 5 * time.Millisecond

// add counts an answer to a call that began at a time. Concurrent answers may overwrite each other.
func (p *pace) add(began time.Time) {
	took := min(time.Since(began), patience)
	mean := time.Duration(p.mean.Load())
	if mean == 0 {
		mean = took
	}
	p.mean.Store(int64(max(1, mean+(took-mean)/4)))
}

// far reports whether a lost connection costs more than the goroutine of [patiently]. An unknown Redis is far.
func (p *pace) far() bool {
	mean := time.Duration(p.mean.Load())
	return mean == 0 || mean > near
}

// connect returns four usual answers: a new connection and a call on it take three round trips.
func (p *pace) connect() time.Duration { return 4 * time.Duration(p.mean.Load()) }

// lasting returns how long a call may take that its caller does not wait for. A read of a log that was lost takes four
// round trips.
func (p *pace) lasting() time.Duration { return min(max(patience, 2*p.connect()), connecting) }

// Stats counts since Open.
type Stats struct {
	Up               bool   // Redis works, as far as is known
	Gets, Hits       uint64 // lookups, and those that found an entry
	LogReads         uint64 // of the purge log
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

func (n *counters) failed(err error) {
	counter := &n.Errors
	if timedOut(err) {
		counter = &n.Timeouts
	}
	n.add(counter, 1)
}
