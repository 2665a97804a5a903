package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
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

// circuit is a plain circuit breaker that remembers whose calls failed. It opens for the clients
// that cause the failures, and for all only if the calls of several fail: a client whose requests
// make the site fail must not take it away from others. It has no lock and reads no clock.
type circuit struct {
	limits BreakerOptions

	// Calls that ended within limits.Window of since.
	since     time.Time
	succeeded int
	failed    map[netip.Addr]int // by client; clients beyond maxFailing count as one

	phase BreakerState
	epoch uint64              // calls that began in an earlier one do not count
	until time.Time           // end of the phase Open
	only  map[netip.Addr]bool // clients that Open and HalfOpen concern; nil: all
	fine  bool                // a call of another client than these succeeded since

	// In the phase HalfOpen:
	probing, passed int
	culprit         netip.Addr // of the first probe that failed, if until is set again
}

// maxFailing is how many clients a circuit keeps counts for.
const maxFailing = 1000

// admitted is a call that was allowed.
type admitted struct {
	client netip.Addr
	epoch  uint64
	probe  bool
}

func newCircuit(l BreakerOptions) circuit {
	return circuit{limits: l, phase: Closed, failed: map[netip.Addr]int{}}
}

func (c *circuit) enter(phase BreakerState) {
	c.phase, c.probing, c.passed, c.culprit = phase, 0, 0, netip.Addr{}
	c.epoch++
	c.reset()
}

func (c *circuit) reset() {
	c.since, c.succeeded = time.Time{}, 0
	clear(c.failed)
}

// count begins the window of a call that counts, unless it has begun.
func (c *circuit) count(now time.Time) {
	if c.since.IsZero() {
		c.since = now
	}
}

// open opens the circuit for some clients, or for all if only is nil.
func (c *circuit) open(until time.Time, only map[netip.Addr]bool) {
	c.enter(Open)
	c.until, c.only, c.fine = until, only, false
}

// pause opens the circuit for all, unless it is open for longer.
func (c *circuit) pause(now, until time.Time) {
	if c.current(now) != Open || c.only != nil || until.After(c.until) {
		c.open(until, nil)
	}
}

// current returns the phase. An open circuit becomes half-open when its time is over.
func (c *circuit) current(now time.Time) BreakerState {
	if c.phase == Open && !now.Before(c.until) {
		c.enter(HalfOpen)
	}
	if !c.since.IsZero() && now.Sub(c.since) >= c.limits.Window {
		c.reset()
	}
	return c.phase
}

// concerns reports whether the circuit is not closed for a client.
func (c *circuit) concerns(client netip.Addr) bool {
	return c.phase != Closed && (c.only == nil || c.only[client])
}

// allows reports whether a client's call may be made.
func (c *circuit) allows(client netip.Addr, now time.Time) bool {
	switch phase := c.current(now); {
	case !c.concerns(client):
		return true
	case phase == Open, client == c.culprit && now.Before(c.until):
		return false
	}
	return c.probing+c.passed < c.limits.Probes
}

// begin begins a call that the circuit allows.
func (c *circuit) begin(client netip.Addr) admitted {
	call := admitted{client, c.epoch, c.concerns(client)}
	if call.probe {
		c.probing++
	}
	return call
}

// succeed ends a call that succeeded.
func (c *circuit) succeed(call admitted, now time.Time) {
	c.current(now)
	switch {
	case call.epoch != c.epoch:
	case call.probe:
		c.probing--
		if c.passed++; c.passed >= c.limits.Probes {
			c.enter(Closed)
		}
	default:
		c.count(now)
		c.succeeded++
		c.fine = c.phase != Closed
	}
}

// drop ends a call whose outcome proves nothing about the site.
func (c *circuit) drop(call admitted) {
	if call.epoch == c.epoch && call.probe {
		c.probing--
	}
}

// fail ends a call that failed.
func (c *circuit) fail(call admitted, now time.Time) {
	c.current(now)
	switch {
	case call.epoch != c.epoch:
	case call.probe:
		c.failProbe(call.client, now)
	default:
		c.count(now)
		client := call.client
		if c.failed[client] == 0 && len(c.failed) >= maxFailing {
			client = netip.Addr{}
		}
		c.failed[client]++
		c.judge(now)
	}
}

// failProbe opens the circuit again. If it concerns all, the probes of two clients must fail for
// that: one that makes the site fail would keep it open.
func (c *circuit) failProbe(client netip.Addr, now time.Time) {
	again := now.Add(c.limits.Open)
	switch {
	case c.only != nil:
		c.enter(Open)
		c.until, c.only = again, map[netip.Addr]bool{client: true}
	case c.culprit.IsValid() && c.culprit != client:
		c.open(again, nil)
	default:
		c.probing--
		c.culprit, c.until = client, again
	}
}

// judge opens the circuit if too many calls failed. One client counts for at most a fifth of
// limits.Calls failures: if there are enough only with more, it opens for those that have more.
func (c *circuit) judge(now time.Time) {
	failed, capped, limit := 0, 0, max(1, c.limits.Calls/5)
	for _, n := range c.failed {
		failed += n
		capped += min(n, limit)
	}
	if !c.tooMany(failed) {
		return
	}
	var only map[netip.Addr]bool
	if len(c.failed) == 1 || !c.tooMany(capped) {
		only = map[netip.Addr]bool{}
		if c.phase != Closed {
			maps.Copy(only, c.only)
		}
		for client, n := range c.failed {
			if n >= limit {
				only[client] = true
			}
		}
	}
	c.open(now.Add(c.limits.Open), only)
}

// tooMany reports whether so many failures open the circuit.
func (c *circuit) tooMany(failed int) bool {
	ended := c.succeeded + failed
	return c.limits.Percent > 0 && ended >= c.limits.Calls && 100*failed >= c.limits.Percent*ended
}

// state returns the phase, and how long an open circuit stays open. It is closed if only clients
// whose own calls fail find it open. It is open while the client of a failed probe must wait.
func (c *circuit) state(now time.Time) (BreakerState, time.Duration) {
	phase, left := c.current(now), c.until.Sub(now)
	switch {
	case phase == Closed, c.only != nil && c.fine:
		return Closed, 0
	case left > 0:
		return Open, left
	}
	return HalfOpen, 0
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
