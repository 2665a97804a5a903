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
	version uint64 // of the decision; 0: it is this instance's
	Counts         // since then
	recent  window
	refused bool       // a rollback was refused, and reported
	before  Sides      // requests until then
	clients *[2]sketch // of the legacy and the candidate since then; nil: they are not counted

	untold       Counts // not yet added to the counts of all instances
	untoldWrites uint64

	// The rest is preserved when the setting changes.
	ever    Counts
	routed  *tally // requests
	written uint64 // writes of the candidate since the cell left the legacy
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
	n.ever, n.routed, n.before, n.untoldWrites = c.ever, c.routed, c.routed.sides(), c.untoldWrites
	if c.setting.Share() > 0 && to.Share() > 0 {
		n.written = c.written
	}
	return n
}

// route selects the backend for a call of a client.
func (c *cell) route(from Client) Route {
	return Route{Candidate: c.setting.serves(from), Fallback: c.setting.State == NewWithFallback}
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

// clientSides returns nil if clients are not counted.
func (c *cell) clientSides() *Sides {
	if c.clients == nil {
		return nil
	}
	return &Sides{c.clients[0].estimate(), c.clients[1].estimate()}
}

// Counts are counts of a candidate.
type Counts struct {
	Calls     uint64 `json:"calls"`     // for clients
	Failures  uint64 `json:"failures"`  // of Calls
	Compared  uint64 `json:"compared"`  // responses, with those of the legacy
	Different uint64 `json:"different"` // of Compared
}

func (c *Counts) add(n Counts) {
	c.Calls += n.Calls
	c.Failures += n.Failures
	c.Compared += n.Compared
	c.Different += n.Different
}

// slots is the number of parts of a window, which it forgets one at a time.
const slots = 10

// window has the counts of the recent past.
type window struct {
	length time.Duration
	slots  [slots]Counts
	last   int64 // the part of time that was counted last
}

// add adds n, and returns the counts within length. If the length has changed the window
// starts again, since its parts have other numbers.
func (w *window) add(now time.Time, length time.Duration, n Counts) Counts {
	if w.length != length {
		*w = window{length: length}
	}
	at := now.UnixNano() / max(1, int64(length)/slots)
	for i := max(w.last+1, at-slots+1); i <= at; i++ {
		w.slots[i%slots] = Counts{}
	}
	w.last = max(w.last, at)
	w.slots[w.last%slots].add(n)
	var all Counts
	for _, s := range w.slots {
		all.add(s)
	}
	return all
}
