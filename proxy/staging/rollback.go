package staging

import (
	"cmp"
	"fmt"
	"time"
)

// Rollback says when a cell leaves the candidate by itself. The zero value is
// never.
type Rollback struct {
	Errors      int           // percent of the candidate's answers that failed; 0 is never
	Differences int           // percent of the compared ones that differed; 0 is never
	Calls       int           // within Window, before a percentage counts; 0 is 20
	Window      time.Duration // 0 is a minute
	Writes      bool          // also where the candidate has taken writes, which the legacy does not know
}

func (r Rollback) withDefaults() Rollback {
	r.Calls, r.Window = cmp.Or(r.Calls, 20), cmp.Or(r.Window, time.Minute)
	return r
}

// reason says why what was counted is too bad; "" if it is not.
func (r Rollback) reason(n Counts) string {
	over := func(part, all uint64, percent int) bool {
		return percent > 0 && all >= uint64(r.Calls) && part*100 > all*uint64(percent)
	}
	switch {
	case over(n.Failures, n.Calls, r.Errors):
		return fmt.Sprintf("%d of %d answers failed within %s", n.Failures, n.Calls, r.Window)
	case over(n.Different, n.Compared, r.Differences):
		return fmt.Sprintf("%d of %d answers differed within %s", n.Different, n.Compared, r.Window)
	}
	return ""
}

// rollBack gives reads and writes of the resource in the language back to the
// legacy, both: a client must not write to one and read from the other.
func (m *Matrix) rollBack(c Cell, why string) {
	read, write := Cell{Read, c.Resource, c.Language}, Cell{Write, c.Resource, c.Language}
	written := m.cells[write].written
	if written > 0 && !m.plan.Rollback.Writes {
		m.refuseRollBack(c, why, written)
		return
	}
	if written > 0 {
		why += fmt.Sprintf("; %d writes are at %s alone", written, m.plan.Candidate.Name)
	}
	var there []Cell
	for _, c := range []Cell{read, write} {
		if m.cells[c].setting.share() > 0 {
			there = append(there, c)
		}
	}
	m.rollbacks++
	m.put(there, Setting{State: Legacy}, ByRollback, why)
}

// refuseRollBack tells once that a cell stays where it is.
func (m *Matrix) refuseRollBack(c Cell, why string, written uint64) {
	have := m.cells[c]
	if have.refused {
		return
	}
	have.refused = true
	m.tell(Change{Cells: []Cell{c}, To: have.setting, Who: ByRollback,
		Why: fmt.Sprintf("not rolled back, though %s: %s has taken %d writes that the legacy does not know", why, m.plan.Candidate.Name, written)})
}
