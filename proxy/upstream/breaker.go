package upstream

import (
	"errors"
	"net/netip"
	"sync"
	"time"
)

// BreakerOptions configure the circuit breaker of a REST root.
type BreakerOptions struct {
	Percent int           // of the calls in Window that failed; 0: only Retry-After opens
	Calls   int           // in Window, before the percentage counts; 0 is 10
	Window  time.Duration // 0 is 10 s
	Open    time.Duration // until probes are made; 0 is 5 s
	Probes  int           // all of which must succeed to close; 0 is 3
}

// BreakerState is the state of the circuit breaker of a REST root.
type BreakerState string

// The states.
const (
	Closed   BreakerState = "closed"    // calls are made
	HalfOpen BreakerState = "half-open" // a few calls are made as probes
	Open     BreakerState = "open"      // no calls are made
)

// breaker is the circuit breaker of a REST root. It opens if calls fail, or for the time of a
// Retry-After. If only the calls of a few clients fail, it opens for them alone.
type breaker struct {
	changed func(from, to BreakerState) // called with mu held

	mu    sync.Mutex
	of    circuit
	shown BreakerState // last reported to changed

	unavailableUntil time.Time // open until then, or until the root has recovered
}

// newBreaker makes a closed breaker.
func newBreaker(o BreakerOptions, changed func(from, to BreakerState)) *breaker {
	return &breaker{of: newCircuit(o), changed: changed, shown: Closed}
}

// errNoOutcome is the outcome of a call that neither succeeded nor failed: the client
// disconnected, or there was no slot for the call.
var errNoOutcome = errors.New("no outcome")

// allow admits a call or returns [ErrOpen]. The caller of an admitted call reports its outcome:
// nil, an error, or errNoOutcome.
func (b *breaker) allow(client netip.Addr) (outcome func(error), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	err = b.refusal(client, now)
	if b.shown != Closed {
		b.report(now)
	}
	if err != nil {
		return nil, err
	}
	call := b.of.begin(client)
	return func(err error) { b.end(call, err) }, nil
}

func (b *breaker) end(call admitted, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	switch {
	case err == nil:
		b.of.succeed(call, now)
	case errors.Is(err, errNoOutcome):
		b.of.drop(call)
	default:
		b.of.fail(call, now)
	}
	if err != nil || b.shown != Closed {
		b.report(now)
	}
}

// refusal returns the error for a call that may not be made now, or nil. The caller holds b.mu.
func (b *breaker) refusal(client netip.Addr, now time.Time) error {
	switch {
	case now.Before(b.unavailableUntil):
		return ErrOpen
	case b.of.allows(client, now):
		return nil
	case b.of.only != nil:
		return errOpenForClient
	}
	return ErrOpen
}

// pauseFor opens the breaker for d, unless it is open for longer.
func (b *breaker) pauseFor(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.of.pause(now, now.Add(d))
	b.report(now)
}

// unavailableFor opens the breaker until recovered is called, and for d at most. Probes
// follow.
func (b *breaker) unavailableFor(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if until := now.Add(d); until.After(b.unavailableUntil) {
		b.unavailableUntil = until
	}
	b.of.pause(now, now.Add(min(d, b.of.limits.Open)))
	b.report(now)
}

// recovered ends a pause of unavailableFor. The breaker may still be open for other reasons.
func (b *breaker) recovered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unavailableUntil = time.Time{}
}

// unavailable returns how long a pause of unavailableFor lasts; 0 if there is none.
func (b *breaker) unavailable() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, time.Until(b.unavailableUntil))
}

// refuses returns the error for a call that would not be made now, or nil.
func (b *breaker) refuses(client netip.Addr) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refusal(client, time.Now())
}

// state returns the state, and the minimum time that an open breaker stays open. It is closed if
// it is open only for clients whose calls fail while the calls of others succeed.
func (b *breaker) state() (BreakerState, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.report(time.Now())
}

// report reports a change of the state. The caller holds b.mu.
func (b *breaker) report(now time.Time) (BreakerState, time.Duration) {
	state, left := b.of.state(now)
	if pause := b.unavailableUntil.Sub(now); pause > 0 {
		state, left = Open, max(left, pause)
	}
	if state != b.shown {
		b.changed(b.shown, state)
		b.shown = state
	}
	return state, left
}
