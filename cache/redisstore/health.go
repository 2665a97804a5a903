package redisstore

import (
	"sync"
	"sync/atomic"
	"time"
)

// grace is how long Redis may not answer before it counts as down. Until then a purge is sent
// again before its write is answered, and a look has its whole time: so a shorter pause of
// Redis makes no instance serve what another one has purged.
const grace = time.Second

// settle is how long a Redis that was down must answer before it counts as up. The other instances notice its return
// within a probe, and append the purges that they made meanwhile: a look before that does not show them.
const settle = probeEvery + 150*time.Millisecond

// health is whether Redis works, by the looks at the log and the purges: a lost node of a
// cluster that does not hold the log costs its own entries alone.
type health struct {
	changed func(cause error) // see [Options.Changed]

	down atomic.Bool

	mu    sync.Mutex
	since time.Time // of the first failure after which nothing succeeded; zero: the last call succeeded
	back  time.Time // of the first success since Redis is down; zero: there is none
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
func (h *health) failed(began time.Time, cause error) (found bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if began.Before(h.back) {
		return false // the call is older than the success
	}
	if timedOut(cause) && !h.back.IsZero() && time.Since(h.last) < grace {
		return false // a slow answer: a look that also appends pending purges takes two round trips
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

// patient reports whether a call may take its whole time: Redis is not known to be down for
// longer than grace, or works again.
func (h *health) patient() bool { return !h.down.Load() || h.failing() < grace || h.returning() }
