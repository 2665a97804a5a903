package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"
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
// Retry-After. A client whose requests make the site fail neither opens it while the calls of
// another succeed, nor keeps it open.
type breaker struct {
	limits  BreakerOptions
	changed func(from, to BreakerState) // called with mu held

	mu    sync.Mutex
	phase BreakerState
	shown BreakerState // last reported to changed
	epoch uint64       // number of the phase; calls that began in an earlier one do not count
	until time.Time    // end of the phase Open; in HalfOpen, end of the wait of culprit

	// Calls that ended within limits.Window of since.
	since time.Time
	ended map[netip.Addr]outcomes // by client; clients beyond maxCounted count as one

	// In the phase HalfOpen:
	probing, passed int
	culprit         netip.Addr // client of the first probe that failed

	unavailableUntil time.Time // open until then, or until the root has recovered
}

// outcomes count the calls of one client.
type outcomes struct{ succeeded, failed int }

// maxCounted is how many clients a breaker keeps counts for.
const maxCounted = 1000

// newBreaker makes a closed breaker.
func newBreaker(o BreakerOptions, changed func(from, to BreakerState)) *breaker {
	return &breaker{limits: o, changed: changed, phase: Closed, shown: Closed, ended: map[netip.Addr]outcomes{}}
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
	b.report(now)
	if err != nil {
		return nil, err
	}
	if b.phase == HalfOpen {
		b.probing++
	}
	epoch := b.epoch
	return func(err error) { b.end(client, epoch, err) }, nil
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
	b.report(now)
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

func (b *breaker) enter(phase BreakerState) {
	b.phase, b.probing, b.passed, b.culprit = phase, 0, 0, netip.Addr{}
	b.epoch++
	b.reset()
}

func (b *breaker) open(until time.Time) {
	b.enter(Open)
	b.until = until
}

func (b *breaker) reset() {
	b.since = time.Time{}
	clear(b.ended)
}

// current returns the phase. An open breaker becomes half-open when its time is over.
func (b *breaker) current(now time.Time) BreakerState {
	if b.phase == Open && !now.Before(b.until) {
		b.enter(HalfOpen)
	}
	if !b.since.IsZero() && now.Sub(b.since) >= b.limits.Window {
		b.reset()
	}
	return b.phase
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

// refuses returns the error for a call that would not be made now, or nil.
func (b *breaker) refuses(client netip.Addr) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refusal(client, time.Now())
}

// pauseFor opens the breaker for d, unless it is open for longer.
func (b *breaker) pauseFor(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pause(time.Now(), d)
}

func (b *breaker) pause(now time.Time, d time.Duration) {
	if until := now.Add(d); b.current(now) != Open || until.After(b.until) {
		b.open(until)
	}
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
	b.pause(now, min(d, b.limits.Open))
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

// state returns the state, and the minimum time that an open breaker stays open. The breaker is
// open while the client of a failed probe must wait.
func (b *breaker) state() (BreakerState, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.report(time.Now())
}

// report reports a change of the state. The caller holds b.mu.
func (b *breaker) report(now time.Time) (state BreakerState, left time.Duration) {
	if state = b.current(now); state != Closed {
		if left = max(0, b.until.Sub(now), b.unavailableUntil.Sub(now)); left > 0 {
			state = Open
		}
	}
	if state != b.shown {
		b.changed(b.shown, state)
		b.shown = state
	}
	return state, left
}

// healthCheckEvery is the pause between health checks of a root that responded 503 with
// Retry-After. WordPress in maintenance sends ten minutes, and is back after one.
const healthCheckEvery = 2 * time.Second

// awaitRecovery checks the health of an unavailable root until it has recovered or its pause
// is over. It does nothing if checks are running.
func (u *Caller) awaitRecovery(to *root) {
	a := to.host.recoveries
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || to.checked || u.options.HealthCheck == nil {
		return
	}
	to.checked = true
	a.running.Go(func() {
		for sleep(a.ctx, healthCheckEvery) && a.goesOn(to) {
			if u.recovered(to) {
				to.breaker.recovered()
				u.options.Log.Info("root recovered before its Retry-After", zap.String("root", to.name))
			}
		}
	})
}

// goesOn reports whether a root is still unavailable, or again. If not, the checks end, and the
// next pause starts others.
func (a *recoveries) goesOn(to *root) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	to.checked = to.breaker.unavailable() > 0
	return to.checked
}

// recovered reports whether a root responds to the health check. Without a free slot of the
// host it sends none.
func (u *Caller) recovered(to *root) bool {
	slot, err := to.host.bulkhead.enter(to.host.recoveries.ctx, Refresh)
	if err != nil {
		return false
	}
	defer to.host.bulkhead.leave(slot)
	began := time.Now()
	got, err := u.send(to.host.recoveries.ctx, to, u.options.HealthCheck)
	u.observe(to, u.options.HealthCheck, 1, time.Since(began), got, err)
	if err != nil || got.Status == http.StatusTooManyRequests {
		return false
	}
	return got.Status < http.StatusInternalServerError
}

// sleep reports whether it waited for d: false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// Outage are consecutive calls to a root that failed. The zero value is none.
type Outage struct {
	Since time.Time `json:"since"` // first failure
	Calls int       `json:"calls"`
	Cause string    `json:"cause"` // last failure, for operators; no secrets
}

// statusError is a response that the breaker counts as a failure.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("status %d", int(e)) }

// note counts the outcome of a call, as the breaker gets it.
func (r *root) note(outcome error) {
	last := r.outage.Load()
	switch {
	case outcome == nil && last != nil:
		r.outage.Store(nil)
	case outcome == nil, errors.Is(outcome, errNoOutcome):
	case last == nil:
		r.outage.Store(&Outage{Since: time.Now(), Calls: 1, Cause: causeOf(outcome)})
	default:
		r.outage.Store(&Outage{Since: last.Since, Calls: last.Calls + 1, Cause: causeOf(outcome)})
	}
}

// failing returns the outage of the root; zero if the last call succeeded.
func (r *root) failing() Outage {
	if o := r.outage.Load(); o != nil {
		return *o
	}
	return Outage{}
}

// causeOf describes a failure in a few words, without addresses.
func causeOf(err error) string {
	if refused, ok := errors.AsType[syscall.Errno](err); ok {
		return refused.Error()
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "its host name cannot be resolved"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "its certificate is not valid"
	}
	switch {
	case timedOut(err):
		return "no response in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it closed the connection"
	case errors.Is(err, http.ErrSchemeMismatch):
		return "it does not speak TLS"
	}
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), ErrNoAnswer.Error()+": "), ErrNotSent.Error()+": ")
}
