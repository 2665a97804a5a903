package upstream

import (
	"cmp"
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

func (o BreakerOptions) withDefaults() BreakerOptions {
	o.Calls, o.Probes = cmp.Or(o.Calls, 10), cmp.Or(o.Probes, 3)
	o.Window, o.Open = cmp.Or(o.Window, 10*time.Second), cmp.Or(o.Open, 5*time.Second)
	return o
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
// Retry-After. A client whose requests make the site fail neither opens it while the calls of
// another succeed, nor keeps it open.
type breaker struct {
	limits  BreakerOptions
	changed func(from, to BreakerState) // called with mu held

	mu    sync.Mutex
	phase BreakerState
	epoch uint64    // number of the phase; calls that began in an earlier one do not count
	until time.Time // end of the phase Open; in HalfOpen, end of the wait of culprit

	unavailableUntil time.Time // open until then, or until the root has recovered

	// Calls that ended within limits.Window of since, in the phase Closed.
	since time.Time
	ended map[netip.Addr]outcomes // by client; clients beyond maxCounted count as one

	// In the phase HalfOpen:
	probing, passed int
	culprit         netip.Addr // client of the first probe that failed
}

// outcomes count the calls of one client.
type outcomes struct{ succeeded, failed int }

// maxCounted is how many clients a breaker keeps counts for.
const maxCounted = 1000

// newBreaker makes a closed breaker.
func newBreaker(o BreakerOptions, changed func(from, to BreakerState)) *breaker {
	return &breaker{limits: o, changed: changed, phase: Closed, ended: map[netip.Addr]outcomes{}}
}

// errNoOutcome is the outcome of a call that neither succeeded nor failed: the client
// disconnected, or there was no slot for the call.
var errNoOutcome = errors.New("no outcome")

// allow admits a call or returns [ErrOpen]. The caller of an admitted call reports its outcome:
// nil, an error, or errNoOutcome.
func (b *breaker) allow(client netip.Addr) (outcome func(error), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refusal(client, time.Now()); err != nil {
		return nil, err
	}
	if b.phase == HalfOpen {
		b.probing++
	}
	epoch := b.epoch
	return func(err error) { b.end(client, epoch, err) }, nil
}

// refuses returns the error for a call that would not be made now, or nil.
func (b *breaker) refuses(client netip.Addr) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refusal(client, time.Now())
}

// refusal returns the error for a call that may not be made now, or nil. The caller holds b.mu.
func (b *breaker) refusal(client netip.Addr, now time.Time) error {
	switch phase := b.current(now); {
	case phase == Open, now.Before(b.unavailableUntil):
		return ErrOpen
	case phase == Closed:
		return nil
	case client == b.culprit && now.Before(b.until):
		return errOpenForClient
	case b.probing+b.passed >= b.limits.Probes:
		return ErrOpen
	}
	return nil
}

// end counts the outcome of a call that began in the phase of a number.
func (b *breaker) end(client netip.Addr, epoch uint64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	switch phase := b.current(now); {
	case epoch != b.epoch:
	case phase == HalfOpen:
		b.endProbe(client, err, now)
	case !errors.Is(err, errNoOutcome):
		b.count(client, err != nil, now)
	}
}

// endProbe closes the breaker if enough probes succeeded. It opens the breaker again after failed
// probes of two clients; the first of these waits, so that it does not keep the breaker open.
func (b *breaker) endProbe(client netip.Addr, err error, now time.Time) {
	b.probing--
	again := now.Add(b.limits.Open)
	switch {
	case err == nil:
		if b.passed++; b.passed >= b.limits.Probes {
			b.enter(Closed)
		}
	case errors.Is(err, errNoOutcome):
	case b.culprit.IsValid() && b.culprit != client:
		b.open(again)
	default:
		b.culprit, b.until = client, again
	}
}

// count counts a call in the phase Closed.
func (b *breaker) count(client netip.Addr, failed bool, now time.Time) {
	if b.since.IsZero() {
		b.since = now
	}
	if _, known := b.ended[client]; !known && len(b.ended) >= maxCounted {
		client = netip.Addr{}
	}
	of := b.ended[client]
	if failed {
		of.failed++
	} else {
		of.succeeded++
	}
	b.ended[client] = of
	if failed && b.tooManyFailed() {
		b.open(now.Add(b.limits.Open))
	}
}

// tooManyFailed reports whether the breaker must open. While all calls of some client succeed,
// each other one counts for at most a fifth of limits.Calls failures.
func (b *breaker) tooManyFailed() bool {
	succeeded, failed, capped, works := 0, 0, 0, false
	for _, of := range b.ended {
		succeeded += of.succeeded
		failed += of.failed
		capped += min(of.failed, max(1, b.limits.Calls/5))
		works = works || of.failed == 0
	}
	if works {
		failed = capped
	}
	ended := succeeded + failed
	return b.limits.Percent > 0 && ended >= b.limits.Calls && 100*failed >= b.limits.Percent*ended
}

// current returns the phase. An open breaker becomes half-open when its time is over.
func (b *breaker) current(now time.Time) BreakerState {
	if b.phase == Open && !now.Before(b.until) {
		b.enter(HalfOpen)
	}
	if b.phase == Closed && !b.since.IsZero() && now.Sub(b.since) >= b.limits.Window {
		b.forget()
	}
	return b.phase
}

func (b *breaker) enter(phase BreakerState) {
	from := b.phase
	b.phase, b.probing, b.passed, b.culprit = phase, 0, 0, netip.Addr{}
	b.epoch++
	b.forget()
	if from != phase {
		b.changed(from, phase)
	}
}

func (b *breaker) open(until time.Time) {
	b.enter(Open)
	b.until = until
}

// forget ends the window of the phase Closed.
func (b *breaker) forget() {
	b.since = time.Time{}
	clear(b.ended)
}

// pause opens the breaker for d, unless it is open for longer. If the root is unavailable, it stays open until
// recovered is called, and for d at most; probes follow.
func (b *breaker) pause(d time.Duration, unavailable bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if unavailable {
		if until := now.Add(d); until.After(b.unavailableUntil) {
			b.unavailableUntil = until
		}
		d = min(d, b.limits.Open)
	}
	if until := now.Add(d); b.current(now) != Open || until.After(b.until) {
		b.open(until)
	}
}

// recovered ends the pause of an unavailable root. The breaker may still be open for other reasons.
func (b *breaker) recovered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unavailableUntil = time.Time{}
}

// unavailable reports whether the pause of an unavailable root lasts.
func (b *breaker) unavailable() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Before(b.unavailableUntil)
}

// state returns the state, and the minimum time that an open breaker stays open. The breaker is
// open while the client of a failed probe must wait.
func (b *breaker) state() (state BreakerState, left time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if state = b.current(now); state != Closed {
		if left = max(0, b.until.Sub(now), b.unavailableUntil.Sub(now)); left > 0 {
			state = Open
		}
	}
	return state, left
}
