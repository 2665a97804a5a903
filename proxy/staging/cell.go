package staging

import "sync/atomic"

// cell is the state of a [Cell].
type cell struct {
	Decision
	ever    *counters // since the start of the process
	counted Numbers   // part of ever that is in total, or from before the last change
	judged  Numbers   // likewise for rollbacks
	total   Numbers   // of all instances since the change, when they were last added up
	recent  window    // of an instance that decides alone
	refused bool      // a rollback was refused, and reported
}

// counters count while others read the matrix.
type counters [kinds]atomic.Int64

func (c *counters) read() (n Numbers) {
	for i := range n {
		n[i] = c[i].Load()
	}
	return n
}

func (c *counters) add(n Numbers) {
	for i := range n {
		c[i].Add(n[i])
	}
}

// next returns the cell after a decision, of another candidate or of the same. c may be nil: a
// new cell. Writes are counted since the cell left the legacy, the other numbers since the change.
func (c *cell) next(to Decision, another bool) *cell {
	if c == nil {
		return &cell{Decision: to, ever: new(counters)}
	}
	if !another && c.Setting == to.Setting && c.Origin == to.Origin {
		c.Decision = to
		return c
	}
	n := &cell{Decision: to, ever: c.ever, counted: c.ever.read()}
	n.judged = n.counted
	if !another && c.Moved == to.Moved && c.Share() > 0 && to.Share() > 0 {
		n.counted[Writes], n.total[Writes] = c.counted[Writes], c.total[Writes]
	}
	return n
}

// unsent returns what this instance has counted and is not in total.
func (c *cell) unsent() Numbers { return c.ever.read().minus(c.counted) }

// all returns what all instances have counted, as far as this one knows.
func (c *cell) all() Numbers { return c.total.plus(c.unsent()) }

// route selects the backend for a call of a client.
func (c *cell) route(from Client) Route {
	return Route{Candidate: c.serves(from), Fallback: c.State == NewWithFallback}
}

// count counts a call.
func (c *cell) count(r Route) {
	if r.Candidate {
		c.ever[ToCandidate].Add(1)
	} else {
		c.ever[ToLegacy].Add(1)
	}
}
