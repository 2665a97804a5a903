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

// health is whether Redis works, by the looks at the log and the purges: a lost node of a
// cluster that does not hold the log costs its own entries alone.
type health struct {
	changed func(cause error) // see [Options.Changed]; nil: nobody wants to know

	down atomic.Bool

	mu    sync.Mutex
	since time.Time // of the first failure after which nothing succeeded; zero: the last call succeeded
}

// worked is called after Redis has shown that it works, and accepts writes.
func (h *health) worked() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.since = time.Time{}
	if h.down.Swap(false) && h.changed != nil {
		h.changed(nil)
	}
}

// failed is called after a failure of a call that began at a time. It reports whether Redis has
// just been found to be down. A refusal is certain at once.
func (h *health) failed(began time.Time, cause error) (found bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.since.IsZero() {
		h.since = began
	}
	if h.down.Load() || !refused(cause) && time.Since(h.since) < grace {
		return false
	}
	h.down.Store(true)
	if h.changed != nil {
		h.changed(cause)
	}
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

// patient reports whether a call may take its whole time: Redis is not known to be down for
// longer than grace.
func (h *health) patient() bool { return !h.down.Load() || h.failing() < grace }
