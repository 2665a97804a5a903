package upstream

import (
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/calfacade/calfacade/proxy/fair"
)

// BreakerState is what becomes of calls to a REST root.
type BreakerState string

// The states.
const (
	Closed   BreakerState = "closed"    // they are made
	HalfOpen BreakerState = "half-open" // a few are made, to see
	Open     BreakerState = "open"      // none is made
)

var stateNames = map[fair.Phase]BreakerState{fair.Closed: Closed, fair.HalfOpen: HalfOpen, fair.Open: Open}

// breaker leaves a REST root alone that fails, or that asked for it by Retry-After. An
// asker whose own calls fail is kept away alone.
type breaker struct {
	changed func(from, to BreakerState) // called while it is locked

	mu    sync.Mutex
	of    *fair.Breaker[netip.Addr]
	shown BreakerState // what was last told to changed

	open        time.Duration
	absentUntil time.Time // of a pause that is over when the root is back
}

// breakerAskers is how many askers a breaker tells apart.
const breakerAskers = 1000

// newBreaker makes a closed breaker.
func newBreaker(o BreakerOptions, changed func(from, to BreakerState)) *breaker {
	return &breaker{of: fair.NewBreaker[netip.Addr](fair.BreakerLimits(o), breakerAskers), changed: changed, shown: Closed, open: o.Open}
}

// errNoVerdict is the outcome of a call that says nothing of the root: the client
// hung up, or there was no place for it.
var errNoVerdict = errors.New("no verdict")

// allow lets a call through, or gives errOpen. Who was let through tells the
// outcome: nil, an error, or errNoVerdict.
func (b *breaker) allow(who netip.Addr) (outcome func(error), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if now.Before(b.absentUntil) {
		return nil, ErrOpen
	}
	call, ok := b.of.Allow(who, now)
	if b.shown != Closed {
		b.tell(now)
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
	case errors.Is(err, errNoVerdict):
		b.of.Drop(call)
	default:
		b.of.Fail(call, now)
	}
	if err != nil || b.shown != Closed {
		b.tell(now)
	}
}

// refusal is for a call that is not made: of every asker, or of this one alone.
func (b *breaker) refusal(now time.Time) error {
	if state, _ := b.of.OfAll(now); state != fair.Closed {
		return ErrOpen
	}
	return errKeptAway
}

// pauseFor keeps calls away for d, if no longer pause is under way.
func (b *breaker) pauseFor(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.of.Pause(now, d)
	b.tell(now)
}

// absentFor does so until returned is called, and for d at most. A few calls go first
// after it.
func (b *breaker) absentFor(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if until := now.Add(d); until.After(b.absentUntil) {
		b.absentUntil = until
	}
	b.of.Pause(now, min(d, b.open))
	b.tell(now)
}

// returned ends a pause of absentFor. What else keeps calls away goes on to.
func (b *breaker) returned() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.absentUntil = time.Time{}
}

func (b *breaker) absence() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, time.Until(b.absentUntil))
}

// refuses returns the error for a call that would not be made now, or nil.
func (b *breaker) refuses(who netip.Addr) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if now.Before(b.absentUntil) {
		return ErrOpen
	}
	if state, _ := b.of.State(who, now); state == fair.Open {
		return b.refusal(now)
	}
	return nil
}

// state is the state for the asker that fares best of those that asked lately, and how
// long an open one stays so at least.
func (b *breaker) state() (BreakerState, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tell(time.Now())
}

// keptAway is how many askers are kept away alone.
func (b *breaker) keptAway() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of.KeptAway(time.Now())
}

// tell is for who holds the lock.
func (b *breaker) tell(now time.Time) (BreakerState, time.Duration) {
	phase, left := b.of.Overall(now)
	if absence := b.absentUntil.Sub(now); absence > 0 {
		phase, left = fair.Open, max(left, absence)
	}
	state := stateNames[phase]
	if state != b.shown {
		b.changed(b.shown, state)
		b.shown = state
	}
	return state, left
}
