package upstream

import (
	"maps"
	"net/netip"
	"time"
)

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
