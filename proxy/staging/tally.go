package staging

import "sync/atomic"

// Sides counts what went to each backend.
type Sides struct {
	Legacy    uint64 `json:"legacy"`
	Candidate uint64 `json:"candidate"`
}

// All returns the sum.
func (s Sides) All() uint64 { return s.Legacy + s.Candidate }

// tally counts calls while others read the matrix.
type tally struct{ legacy, candidate atomic.Uint64 }

func (t *tally) sides() Sides { return Sides{t.legacy.Load(), t.candidate.Load()} }

// count counts a call of a client.
func (c *cell) count(from Client, candidate bool) {
	side := 0
	if candidate {
		side = 1
		c.routed.candidate.Add(1)
	} else {
		c.routed.legacy.Add(1)
	}
	if c.clients != nil {
		c.clients[side].add(from.Number)
	}
}

// requests returns the calls since the setting changed.
func (c *cell) requests() Sides {
	now := c.routed.sides()
	return Sides{now.Legacy - c.before.Legacy, now.Candidate - c.before.Candidate}
}

// clientSides returns nil if clients are not counted.
func (c *cell) clientSides() *Sides {
	if c.clients == nil {
		return nil
	}
	return &Sides{c.clients[0].estimate(), c.clients[1].estimate()}
}
