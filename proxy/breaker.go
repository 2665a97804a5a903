package proxy

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

// BreakerState is what becomes of calls to a REST root.
type BreakerState string

// The states.
const (
	Closed   BreakerState = "closed"    // they are made
	HalfOpen BreakerState = "half-open" // a few are made, to see
	Open     BreakerState = "open"      // none is made
)

var stateNames = map[gobreaker.State]BreakerState{
	gobreaker.StateClosed: Closed, gobreaker.StateHalfOpen: HalfOpen, gobreaker.StateOpen: Open,
}

// breaker leaves a REST root alone that fails, or that asked for it by
// Retry-After. The library counts, and drops the outcome of a call that began
// before the last change of state; the pause that was asked for is laid over it.
type breaker struct {
	counts *gobreaker.TwoStepCircuitBreaker[struct{}]
	open   time.Duration

	pausedUntil atomic.Int64 // Unix nanoseconds, of the pause that was asked for
	absentUntil atomic.Int64 // likewise, of one that is over when the root is back
	openedAt    atomic.Int64 // likewise, of the last opening
}

// buckets are the steps in which the window of a breaker moves.
const buckets = 10

// newBreaker makes a closed breaker. changed is called while it is locked.
func newBreaker(o BreakerOptions, changed func(from, to BreakerState)) *breaker {
	b := &breaker{open: o.Open}
	b.counts = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests:  uint32(o.Probes),
		Interval:     o.Window,
		BucketPeriod: max(1, o.Window/buckets),
		Timeout:      o.Open,
		IsExcluded:   func(err error) bool { return errors.Is(err, errNoVerdict) },
		ReadyToTrip: func(c gobreaker.Counts) bool {
			ended := c.TotalSuccesses + c.TotalFailures // Requests counts those under way too
			return b.pause() > 0 || o.Percent > 0 && ended >= uint32(o.Calls) && 100*c.TotalFailures >= uint32(o.Percent)*ended
		},
		OnStateChange: func(_ string, from, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				b.openedAt.Store(time.Now().UnixNano())
			}
			changed(stateNames[from], stateNames[to])
		},
	})
	return b
}

// errNoVerdict is the outcome of a call that says nothing of the root: the client
// hung up, or there was no place for it.
var errNoVerdict = errors.New("no verdict")

// allow lets a call through, or gives errOpen. Who was let through tells the
// outcome: nil, an error, or errNoVerdict.
func (b *breaker) allow() (outcome func(error), err error) {
	if b.pause() > 0 {
		return nil, errOpen
	}
	outcome, err = b.counts.Allow()
	if err != nil {
		return nil, errOpen
	}
	return outcome, nil
}

// pauseFor keeps calls away for d, if no longer pause is under way. The next
// failure told opens the breaker: after the pause a few calls go first.
func (b *breaker) pauseFor(d time.Duration) { prolong(&b.pausedUntil, d) }

// absentFor does so until returned is called, and for d at most.
func (b *breaker) absentFor(d time.Duration) { prolong(&b.absentUntil, d) }

// returned ends a pause of absentFor. What else keeps calls away goes on to.
func (b *breaker) returned() { b.absentUntil.Store(0) }

func prolong(until *atomic.Int64, d time.Duration) {
	later := time.Now().Add(d).UnixNano()
	for {
		known := until.Load()
		if known >= later || until.CompareAndSwap(known, later) {
			return
		}
	}
}

func (b *breaker) pause() time.Duration { return max(left(b.pausedUntil.Load()), b.absence()) }

func (b *breaker) absence() time.Duration { return left(b.absentUntil.Load()) }

// left is the time until an instant in Unix nanoseconds; 0 if it is over.
func left(until int64) time.Duration {
	if until == 0 {
		return 0
	}
	return max(0, time.Until(time.Unix(0, until)))
}

// state is the state, and how long an open one stays so at least.
func (b *breaker) state() (BreakerState, time.Duration) {
	state, wait := stateNames[b.counts.State()], b.pause()
	if state == Open {
		wait = max(wait, left(b.openedAt.Load()+int64(b.open)))
	}
	if wait > 0 {
		state = Open
	}
	return state, wait
}
