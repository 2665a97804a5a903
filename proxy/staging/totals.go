package staging

import "time"

// OnFirstWrite sets what Wrote calls after the first write of a cell that the candidate alone
// has, before the client has its response: all instances must know of it before one of them
// rolls back.
func (m *Matrix) OnFirstWrite(tell func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wrote = tell
}

// Untold is what an instance has counted since the last time, of one cell.
type Untold struct {
	Version uint64 // of the cell
	Counts
	Writes uint64
}

// Untold returns what was counted since it was called last, and the rollback's window.
func (m *Matrix) Untold() (counted map[Cell]Untold, window time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	counted = map[Cell]Untold{}
	for c, have := range m.cells {
		if have.untold != (Counts{}) || have.untoldWrites > 0 {
			counted[c] = Untold{have.version, have.untold, have.untoldWrites}
			have.untold, have.untoldWrites = Counts{}, 0
		}
	}
	return counted, m.plan.Rollback.Window
}

// Return gives back writes that could not be added to those of all instances. What else was
// counted is too old by the next time.
func (m *Matrix) Return(counted map[Cell]Untold) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c, n := range counted {
		if have := m.cells[c]; have != nil {
			have.untoldWrites += n.Writes
		}
	}
}

// Total is what all instances have counted of a cell: within the window, at its present
// version, and the writes that the candidate alone has.
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
		have.written = max(have.written, all[c].Written+have.untoldWrites) // Redis may have lost some
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
