package staging

import "fmt"

// Answered counts a response of the candidate to a client, and rolls back if too many failed.
// It ignores a candidate that the plan does not have, as do the methods below.
func (m *Matrix) Answered(candidate Candidate, c Cell, failed bool) {
	m.count(candidate, c, Counts{Calls: 1, Failures: one(failed)})
}

// Wrote counts a write that the candidate has made, or may have made. It must be called before
// Answered, so that the write can prevent a rollback.
func (m *Matrix) Wrote(candidate Candidate, c Cell) {
	m.mu.Lock()
	var call func()
	if have := m.cell(candidate, c); have != nil {
		if m.shared && have.written == 0 {
			call = m.onFirstWrite
		}
		have.written++
		have.unsentWrites++
	}
	m.mu.Unlock()
	if call != nil {
		call()
	}
}

// Compared counts a comparison, and rolls back if too many responses differed.
func (m *Matrix) Compared(candidate Candidate, c Cell, differs bool) {
	m.count(candidate, c, Counts{Compared: 1, Different: one(differs)})
}

// one returns 1 for true.
func one(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (m *Matrix) count(candidate Candidate, c Cell, n Counts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	have := m.cell(candidate, c)
	if have == nil {
		return
	}
	have.Counts.add(n)
	have.ever.add(n)
	if m.shared {
		have.unsent.add(n)
		have.unsentSince.add(n)
		return
	}
	recent := have.recent.add(m.clock(), m.plan.Rollback.Window, n)
	if why := m.plan.Rollback.reason(recent); why != "" && have.setting.Share() > 0 {
		m.rollBack(c, why)
	}
}

// rollBack returns both reads and writes of the resource in the language to the legacy: a
// client must not write to one backend and read from the other.
func (m *Matrix) rollBack(c Cell, why string) {
	r := m.rollbackOf(c, why)
	if r.Refused {
		m.reportRefusal(c, r.Why)
		return
	}
	m.rollbacks++
	m.set(r.Cells, Setting{State: Legacy}, ByRollback, r.Why)
}

// rollbackOf returns the rollback of a cell for a reason.
func (m *Matrix) rollbackOf(c Cell, why string) RollbackDue {
	read, write := Cell{Read, c.Resource, c.Language}, Cell{Write, c.Resource, c.Language}
	written := m.cells[write].written
	if written > 0 && !m.plan.Rollback.Writes {
		return RollbackDue{Cells: []Cell{c}, Refused: true,
			Why: fmt.Sprintf("not rolled back, though %s: %s has accepted %d writes that the legacy does not have", why, m.plan.Candidate.Name, written)}
	}
	if written > 0 {
		why += fmt.Sprintf("; %d writes are at %s alone", written, m.plan.Candidate.Name)
	}
	due := RollbackDue{Why: why, AfterWrites: m.plan.Rollback.Writes}
	for _, c := range []Cell{read, write} {
		if m.cells[c].setting.Share() > 0 {
			due.Cells = append(due.Cells, c)
		}
	}
	return due
}

// reportRefusal records, once, that a cell is not rolled back.
func (m *Matrix) reportRefusal(c Cell, why string) {
	have := m.cells[c]
	if have.refused {
		return
	}
	have.refused = true
	m.record(Change{Cells: []Cell{c}, From: []Setting{have.setting}, To: have.setting, Who: ByRollback, Why: why})
}
