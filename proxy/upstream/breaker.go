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
	changed func(open bool) // called with mu held, after outage; a half-open one is open

	mu      sync.Mutex
	outage  Outage // failures in a row, whenever they began
	open    bool
	until   time.Time // of an open breaker: no calls before
	epoch   uint64    // number of changes; the outcome of a call that began before the last one does not count
	failed  int       // probes of a half-open breaker
	probing int       // calls in progress through a half-open breaker
}

// errNoOutcome is the outcome of a call that says nothing about the site: the client disconnected, the
// connection was dead before the call, a recording has no response to it, or the call panicked.
var errNoOutcome = errors.New("no outcome")

// Outage are consecutive calls to a root that failed. The zero value is no outage.
type Outage struct {
	Since time.Time // first failure
	Calls int
	Cause string // last failure, for operators; no secrets
}

// allow admits a call or returns [ErrOpen]. The caller of an admitted call passes the epoch to end.
func (b *breaker) allow() (epoch uint64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refusesAt(time.Now()) {
		return 0, ErrOpen
	}
	if b.open {
		b.probing++
	}
	return b.epoch, nil
}

// refuses reports whether a call would not be admitted now.
func (b *breaker) refuses() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refusesAt(time.Now())
}

func (b *breaker) refusesAt(now time.Time) bool {
	return b.open && (now.Before(b.until) || b.probing+b.failed >= maxProbes)
}

// end counts the outcome of a call that began in an epoch: nil, an error, or errNoOutcome. pause is the time
// for which the site wants no calls.
func (b *breaker) end(epoch uint64, outcome error, pause time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case outcome == nil:
		b.outage = Outage{}
	case !errors.Is(outcome, errNoOutcome):
		b.outage.Calls++
		if b.outage.Calls == 1 {
			b.outage.Since = time.Now()
		}
		b.outage.Cause = causeOf(outcome)
	}
	current := epoch == b.epoch
	if current && b.open {
		b.probing--
	}
	until := time.Now().Add(cmp.Or(pause, b.limits.Open))
	switch {
	case pause > 0:
		if !b.open || until.After(b.until) {
			b.change(true, until)
		}
	case !current, errors.Is(outcome, errNoOutcome):
	case outcome == nil && b.open:
		b.change(false, time.Time{})
	case outcome != nil && b.open:
		b.failed++
		if b.failed == maxProbes {
			b.change(true, until)
		}
	case outcome != nil && b.limits.Failures > 0 && b.outage.Calls >= b.limits.Failures:
		b.change(true, until)
	}
}

// change opens the breaker until a time, or closes it. The caller holds b.mu.
func (b *breaker) change(open bool, until time.Time) {
	if open != b.open {
		b.changed(open)
	}
	b.open = open
	b.until = until
	b.failed = 0
	b.probing = 0
	b.epoch++
}

// state returns the state, the minimum time that an open breaker stays open, and the failures.
func (b *breaker) state() (state BreakerState, wait time.Duration, outage Outage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait = time.Until(b.until)
	switch {
	case !b.open:
		return Closed, 0, b.outage
	case wait <= 0:
		return HalfOpen, 0, b.outage
	}
	return Open, wait, b.outage
}
