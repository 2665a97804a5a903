package staging

import (
	"fmt"
	"slices"
)

// Answered counts a response of the candidate to a client, and rolls back if too many failed.
// Answered and the methods below ignore a candidate that is not in the plan.
func (m *Matrix) Answered(candidate Candidate, c Cell, failed bool) {
	m.count(candidate, c, Numbers{Calls: 1, Failures: oneIf(failed)})
}

// Compared counts a comparison.
func (m *Matrix) Compared(candidate Candidate, c Cell, differs bool) {
	m.count(candidate, c, Numbers{Compared: 1, Different: oneIf(differs)})
}

// Wrote counts a write that the candidate has made, or may have made. The caller must call Wrote before
// Answered, so that the write can prevent a rollback.
func (m *Matrix) Wrote(candidate Candidate, c Cell) {
	first := m.count(candidate, c, Numbers{Writes: 1})
	if first != nil {
		first()
	}
}

// oneIf returns 1 for true.
func oneIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// count counts n, and returns the function to call after the first write of a cell.
func (m *Matrix) count(candidate Candidate, c Cell, n Numbers) (first func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	entry := m.cell(candidate, c)
	if entry == nil {
		return nil
	}
	entry.ever.add(n)
	switch {
	case m.shared == nil:
		r := m.due(c, entry.recent.add(m.clock(), m.plan.Rollback.Window, n))
		if r != nil {
			m.set(r.Cells, legacy, ByRollback, r.Why)
		}
	case n[Writes] > 0 && entry.numbers()[Writes] == 1:
		return m.shared
	}
	return nil
}

// RollbackDue is a rollback to the legacy that numbers call for.
type RollbackDue struct {
	Cells []Cell
	Why   string
}

// due returns the rollback that numbers within the window call for; nil without a reason. The
// rollback returns both reads and writes of the resource in the language to the legacy: a client must not
// write to one backend and read from the other. A refused rollback is recorded, once.
func (m *Matrix) due(c Cell, recent Numbers) *RollbackDue {
	entry := m.cells[c]
	why := m.plan.Rollback.reason(recent)
	if why == "" || entry.Share() == 0 {
		return nil
	}
	write := Cell{Op: Write, Resource: c.Resource, Language: c.Language}
	pair := []Cell{{Read, c.Resource, c.Language}, write}
	writes := m.cells[write].numbers()[Writes]
	if writes == 0 {
		return &RollbackDue{
			Cells: slices.DeleteFunc(pair, func(c Cell) bool { return m.cells[c].Share() == 0 }),
			Why:   why,
		}
	}
	if !entry.refused {
		entry.refused = true
		why = fmt.Sprintf("not rolled back, though %s: %s has accepted %d writes that the legacy does not have",
			why, m.plan.Candidate.Name, writes)
		change := m.Origin(ByRollback, why).Change()
		change.Cells = []Cell{c}
		change.From = []Setting{entry.Setting}
		change.To = entry.Setting
		m.record(change)
	}
	return nil
}

// Tally has the counts of a cell.
type Tally struct {
	Recent Numbers // that count for rollbacks
	Since  Numbers // since the change
}

// Unsent returns the counts of this instance that are not yet in the numbers of all. Recent is the count since
// the previous call. The caller hands the counts that it added to [Matrix.Sum].
func (m *Matrix) Unsent() map[Cell]Tally {
	m.mu.Lock()
	defer m.mu.Unlock()
	tallies := map[Cell]Tally{}
	for c, entry := range m.cells {
		now := entry.ever.read()
		n := Tally{Recent: now.minus(entry.judged), Since: entry.unsent()}
		if n != (Tally{}) {
			tallies[c], entry.judged = n, now
		}
	}
	return tallies
}

// Sum sets the numbers of all instances after added was counted in them. It returns the rollbacks that
// are due.
func (m *Matrix) Sum(added, sums map[Cell]Tally) (due []*RollbackDue) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c, entry := range m.cells {
		n := added[c].Since
		missing := max(0, entry.total[Writes]+n[Writes]-sums[c].Since[Writes]) // by Redis: they are sent again
		entry.total = sums[c].Since
		n[Writes] -= missing
		entry.counted = entry.counted.plus(n)
	}
	for _, c := range m.plan.Cells {
		n := len(due)
		if n > 0 && slices.Contains(due[n-1].Cells, c) {
			continue // rolled back with the cell before
		}
		r := m.due(c, sums[c].Recent)
		if r != nil {
			due = append(due, r)
		}
	}
	return due
}
