package staging

import (
	"time"
)

// cell is the state of a [Cell].
type cell struct {
	setting Setting
	since   time.Time
	who     string
	why     string
	version uint64 // of the decision that set it; 0: this instance did
	Counts         // since then, by this instance
	recent  window
	refused bool       // a rollback was refused, and reported
	before  Sides      // requests before that
	clients *[2]sketch // of the legacy and the candidate since then; nil: they are not counted

	unsent       Counts // not yet added to the counts of all instances, within the window
	unsentSince  Counts // likewise, since the change
	sentRequests Sides  // since the change, that were added
	unsentWrites uint64
	others       Since // what other instances have counted

	// The rest is preserved when the setting changes.
	ever    Counts // since the start of the process
	routed  *tally // requests
	written uint64 // writes accepted by the candidate since the cell left the legacy
}

// next returns the cell after a change. c may be nil: a new cell.
func (c *cell) next(to Setting, now time.Time, who, why string) *cell {
	n := &cell{setting: to, since: now, who: who, why: why}
	if to.State == Canary && to.By == Clients {
		n.clients = new([2]sketch)
	}
	if c == nil {
		n.routed = new(tally)
		return n
	}
	n.ever, n.routed, n.before, n.unsentWrites = c.ever, c.routed, c.routed.sides(), c.unsentWrites
	if c.setting.Share() > 0 && to.Share() > 0 {
		n.written = c.written
	}
	return n
}

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

// clientSides returns the clients of each backend, estimated; nil if they are not counted.
func (c *cell) clientSides() *Sides {
	if c.clients == nil {
		return nil
	}
	return &Sides{c.clients[0].estimate(), c.clients[1].estimate()}
}
