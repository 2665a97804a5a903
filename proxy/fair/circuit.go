package fair

import "time"

// BreakerLimits say when calls are no longer made.
type BreakerLimits struct {
	Percent int           // of the calls in Window that failed; 0: never
	Calls   int           // in Window, before the percentage counts
	Window  time.Duration // above 0
	Open    time.Duration // until calls are tried again
	Probes  int           // calls tried then, all of which must succeed
}

// Phase is what becomes of calls.
type Phase int

// The phases.
const (
	Closed   Phase = iota // they are made
	HalfOpen              // a few are made, to see
	Open                  // none is made
)

// circuit is the state of calls that fail or succeed together.
type circuit struct {
	calls window
	phase Phase
	era   uint64    // of the phase: what began in another one says nothing of this
	until time.Time // of an open one

	probing, succeeded int // calls of a half-open one
}

func (c *circuit) turn(to Phase) {
	c.phase, c.probing, c.succeeded = to, 0, 0
	c.era++
	c.calls.reset()
}

func (c *circuit) open(until time.Time) {
	c.turn(Open)
	c.until = until
}

// look has an open circuit that has been so for long enough half-open.
func (c *circuit) look(now time.Time) Phase {
	if c.phase == Open && !now.Before(c.until) {
		c.turn(HalfOpen)
	}
	return c.phase
}

// allows reports whether one more call may be made.
func (c *circuit) allows(now time.Time, l BreakerLimits) bool {
	switch c.look(now) {
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

// succeed is for a call that began in this phase.
func (c *circuit) succeed(now time.Time, l BreakerLimits) {
	c.calls.add(now, l.Window, false)
	if c.phase != HalfOpen {
		return
	}
	c.probing--
	if c.succeeded++; c.succeeded >= l.Probes {
		c.turn(Closed)
	}
}

// undecided is for a call that began in this phase, and says nothing.
func (c *circuit) undecided() {
	if c.phase == HalfOpen {
		c.probing--
	}
}

// state is the phase, and how long an open circuit stays so at least.
func (c *circuit) state(now time.Time) (Phase, time.Duration) {
	if c.look(now) == Open {
		return Open, c.until.Sub(now)
	}
	return c.phase, 0
}
