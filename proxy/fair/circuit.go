package fair

import "time"

// BreakerLimits configure when the breaker opens and closes.
type BreakerLimits struct {
	Percent int           // of the calls in Window that failed; 0 disables the breaker
	Calls   int           // in Window, before Percent applies
	Window  time.Duration // above 0
	Open    time.Duration // before the breaker is half-open
	Probes  int           // calls while it is half-open, all of which must succeed
}

// Phase is the phase of a circuit.
type Phase int

// The phases.
const (
	Closed   Phase = iota // calls are made
	HalfOpen              // a few calls are made, as probes
	Open                  // no call is made
)

// circuit is a plain circuit breaker.
type circuit struct {
	calls window
	phase Phase
	epoch uint64    // number of the phase: calls that began in another one do not count
	until time.Time // end of the phase Open

	probing, succeeded int // calls in the phase HalfOpen
}

func (c *circuit) enter(to Phase) {
	c.phase, c.probing, c.succeeded = to, 0, 0
	c.epoch++
	c.calls.reset()
}

func (c *circuit) open(until time.Time) {
	c.enter(Open)
	c.until = until
}

// current returns the phase. An open circuit becomes half-open when its time is over.
func (c *circuit) current(now time.Time) Phase {
	if c.phase == Open && !now.Before(c.until) {
		c.enter(HalfOpen)
	}
	return c.phase
}

// allows reports whether one more call may be made.
func (c *circuit) allows(now time.Time, l BreakerLimits) bool {
	switch c.current(now) {
	case Open:
		return false
	case HalfOpen:
		return c.probing+c.succeeded < l.Probes
	}
	return true
}

func (c *circuit) begin() {
	if c.phase == HalfOpen {
		c.probing++
	}
}

// succeed ends a call that began in this phase.
func (c *circuit) succeed(now time.Time, l BreakerLimits) {
	c.calls.add(now, l.Window, false)
	if c.phase != HalfOpen {
		return
	}
	c.probing--
	if c.succeeded++; c.succeeded >= l.Probes {
		c.enter(Closed)
	}
}

// withdraw ends a call that began in this phase, without a result.
func (c *circuit) withdraw() {
	if c.phase == HalfOpen {
		c.probing--
	}
}

// state returns the phase, and how long an open circuit stays open.
func (c *circuit) state(now time.Time) (Phase, time.Duration) {
	if c.current(now) == Open {
		return Open, c.until.Sub(now)
	}
	return c.phase, 0
}
