package upstream

import (
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/calfacade/calfacade/proxy/fair"
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

var stateNames = map[fair.Phase]BreakerState{fair.Closed: Closed, fair.HalfOpen: HalfOpen, fair.Open: Open}

// breaker is the circuit breaker of a REST root. It opens if calls fail, or for the time of a
// Retry-After. If only the calls of one client fail, it opens for that client alone.
type breaker struct {
	changed func(from, to BreakerState) // called with mu held

	mu    sync.Mutex
	of    *fair.Breaker[netip.Addr]
	shown BreakerState // last reported to changed

	open             time.Duration
	unavailableUntil time.Time // open until then, or until the root has recovered
}

// breakerClients is how many clients a breaker keeps counts for.
const breakerClients = 1000

// newBreaker makes a closed breaker.
func newBreaker(o BreakerOptions, changed func(from, to BreakerState)) *breaker {
	return &breaker{of: fair.NewBreaker[netip.Addr](fair.BreakerLimits(o), breakerClients), changed: changed, shown: Closed, open: o.Open}
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
	if now.Before(b.unavailableUntil) {
		return nil, ErrOpen
	}
	call, ok := b.of.Allow(client, now)
	if b.shown != Closed {
		b.report(now)
	}
	if !ok {
		return nil, b.refusal(now)
	}
	return func(err error) { b.end(call, err) }, nil
}

func (b *breaker) end(call fair.Call[netip.Addr], err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	switch {
	case err == nil:
		b.of.Succeed(call, now)
	case errors.Is(err, errNoOutcome):
		b.of.Drop(call)
	default:
		b.of.Fail(call, now)
	}
	if err != nil || b.shown != Closed {
		b.report(now)
	}
}

// refusal returns the error for a call that is not made: open for all clients, or for this one.
func (b *breaker) refusal(now time.Time) error {
	if state, _ := b.of.Shared(now); state != fair.Closed {
		return ErrOpen
	}
	return errOpenForClient
}

// pauseFor opens the breaker for d, unless it is open for longer.
func (b *breaker) pauseFor(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.of.Pause(now, d)
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
	b.of.Pause(now, min(d, b.open))
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
	now := time.Now()
	if now.Before(b.unavailableUntil) {
		return ErrOpen
	}
	if state, _ := b.of.State(client, now); state == fair.Open {
		return b.refusal(now)
	}
	return nil
}

// state returns the state for the recent client with the fewest failures, and the minimum time
// that an open breaker stays open.
func (b *breaker) state() (BreakerState, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.report(time.Now())
}

// openClients returns for how many clients alone the breaker is open.
func (b *breaker) openClients() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of.OpenClients(time.Now())
}

// report reports a change of the state. The caller holds b.mu.
func (b *breaker) report(now time.Time) (BreakerState, time.Duration) {
	phase, left := b.of.Overall(now)
	if pause := b.unavailableUntil.Sub(now); pause > 0 {
		phase, left = fair.Open, max(left, pause)
	}
	state := stateNames[phase]
	if state != b.shown {
		b.changed(b.shown, state)
		b.shown = state
	}
	return state, left
}
