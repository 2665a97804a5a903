package staging

import "time"

// OnFirstWrite sets what Wrote calls after the first write of a cell that the candidate alone
// has, before the client has its response: all instances must know of it before one of them
// rolls back.
func (m *Matrix) OnFirstWrite(call func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.onFirstWrite = call
}

// Unsent is what this instance has counted of a cell and not yet added to the counts of all.
type Unsent struct {
	Version uint64 // of the cell
	Counts
	Writes uint64
}

// TakeUnsent returns what was counted since the previous call, and the window of rollbacks.
func (m *Matrix) TakeUnsent() (counted map[Cell]Unsent, window time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	counted = map[Cell]Unsent{}
	for c, have := range m.cells {
		if have.unsent != (Counts{}) || have.unsentWrites > 0 {
			counted[c] = Unsent{have.version, have.unsent, have.unsentWrites}
			have.unsent, have.unsentWrites = Counts{}, 0
		}
	}
	return counted, m.plan.Rollback.Window
}

// ReturnUnsent adds writes again that could not be added to those of all instances. The other
// counts would be too old by the next call.
func (m *Matrix) ReturnUnsent(counted map[Cell]Unsent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c, n := range counted {
		if have := m.cells[c]; have != nil {
			have.unsentWrites += n.Writes
		}
	}
}

// Total is what all instances have counted of a cell: responses within the window since the last
// change of the cell, and the writes that the candidate alone has.
type Total struct {
	Recent  Counts
	Written uint64
}

// Totals sets the writes that the candidate alone has, and returns the rollbacks that are due.
// Each refusal is recorded once.
func (m *Matrix) Totals(all map[Cell]Total) []RollbackDue {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c, have := range m.cells {
		have.written = max(have.written, all[c].Written+have.unsentWrites) // Redis may have lost some
	}
	var due []RollbackDue
	done := map[Cell]bool{}
	for _, c := range m.plan.Cells {
		why := m.plan.Rollback.reason(all[c].Recent)
		if why == "" || m.cells[c].setting.Share() == 0 || done[c] {
			continue
		}
		r := m.rollbackOf(c, why)
		if r.Refused {
			m.reportRefusal(c, r.Why)
			continue
		}
		for _, c := range r.Cells {
			done[c] = true
		}
		due = append(due, r)
	}
	return due
}
