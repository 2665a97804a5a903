package upstream

import (
	"cmp"
	"errors"
	"sync"
	"time"
)

// BreakerOptions configure the circuit breaker of a REST root.
type BreakerOptions struct {
	Failures int           // in a row; 0: only Retry-After opens
	Open     time.Duration // until probes are made; 0 is 5 s
}

func (o BreakerOptions) withDefaults() BreakerOptions {
	o.Open = cmp.Or(o.Open, 5*time.Second)
	return o
}

// maxProbes is how many calls a half-open breaker admits at once, and how many of them must fail
// before it opens again: one alone could be for an item that always makes the site fail.
const maxProbes = 3

// BreakerState is the state of the circuit breaker of a REST root.
type BreakerState string

// The states.
const (
	Closed   BreakerState = "closed"    // calls are made
	HalfOpen BreakerState = "half-open" // a few calls are made as probes
	Open     BreakerState = "open"      // no calls are made
)

// breaker is the circuit breaker of a REST root. It opens after failures in a row, or for the time of
// a Retry-After. After that time it is half-open, and the first call that succeeds closes it.
type breaker struct {
	limits  BreakerOptions
	changed func(open bool) // called with mu held; a half-open one is open

	mu       sync.Mutex
	open     bool
	until    time.Time // of an open breaker: no calls before
	epoch    uint64    // number of changes; the outcome of a call that began before the last one does not count
	failures int       // in a row, in this epoch
	probing  int       // calls in progress through a half-open breaker
}

// errNoOutcome is the outcome of a call that neither succeeded nor failed: the client
// disconnected, or there was no slot for the call.
var errNoOutcome = errors.New("no outcome")

// allow admits a call or returns [ErrOpen]. The caller of an admitted call reports its outcome:
// nil, an error, or errNoOutcome.
func (b *breaker) allow() (outcome func(error), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refusesAt(time.Now()) {
		return nil, ErrOpen
	}
	if b.open {
		b.probing++
	}
	epoch := b.epoch
	return func(err error) { b.end(epoch, err) }, nil
}

// refuses reports whether a call would not be admitted now.
func (b *breaker) refuses() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refusesAt(time.Now())
}

func (b *breaker) refusesAt(now time.Time) bool {
	return b.open && (now.Before(b.until) || b.probing+b.failures >= maxProbes)
}

// end counts the outcome of a call that began in an epoch.
func (b *breaker) end(epoch uint64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if epoch != b.epoch {
		return
	}
	if b.open {
		b.probing--
	}
	switch {
	case errors.Is(err, errNoOutcome):
	case err == nil && b.open:
		b.change(false)
	case err == nil:
		b.failures = 0
	default:
		if b.failures++; b.failures == b.limits.Failures && !b.open || b.failures == maxProbes && b.open {
			b.until = time.Now().Add(b.limits.Open)
			b.change(true)
		}
	}
}

// change opens or closes the breaker. The caller holds b.mu.
func (b *breaker) change(open bool) {
	if open != b.open {
		b.changed(open)
	}
	b.open, b.failures, b.probing = open, 0, 0
	b.epoch++
}

// pause opens the breaker for d, unless it is open for longer.
func (b *breaker) pause(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if until := time.Now().Add(d); !b.open || until.After(b.until) {
		b.until = until
		b.change(true)
	}
}

// state returns the state, and the minimum time that an open breaker stays open.
func (b *breaker) state() (state BreakerState, left time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch left = time.Until(b.until); {
	case !b.open:
		return Closed, 0
	case left <= 0:
		return HalfOpen, 0
	}
	return Open, left
}
