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
	Counts         // within the window of a rollback
	Since   Since
	Writes  uint64
}

// TakeUnsent returns what was counted since the previous call, and the window of rollbacks.
func (m *Matrix) TakeUnsent() (counted map[Cell]Unsent, window time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	counted = map[Cell]Unsent{}
	for c, have := range m.cells {
		n := Unsent{have.version, have.unsent, have.own().minus(have.sent()), have.unsentWrites}
		if n == (Unsent{Version: have.version}) {
			continue
		}
		counted[c] = n
		have.unsent, have.unsentSince, have.unsentWrites = Counts{}, Counts{}, 0
		have.sentRequests = have.sentRequests.plus(n.Since.Requests)
	}
	return counted, m.plan.Rollback.Window
}

// ReturnUnsent adds writes, and counts since the change of a cell, again that could not be added to
// those of all instances. The counts within the window would be too old by the next call.
func (m *Matrix) ReturnUnsent(counted map[Cell]Unsent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c, n := range counted {
		have := m.cells[c]
		if have == nil {
			continue
		}
		have.unsentWrites += n.Writes
		if have.version == n.Version {
			have.unsentSince.add(n.Since.Counts)
			have.sentRequests = have.sentRequests.minus(n.Since.Requests)
		}
	}
}

// Total is what all instances have counted of a version of a cell, within the window and since
// the change, and the writes that the candidate alone has.
type Total struct {
	Version uint64
	Recent  Counts
	Since   Since
	Written uint64
}

// Totals sets the writes that the candidate alone has, and what the other instances have counted.
// It returns the rollbacks that are due. Each refusal is recorded once.
func (m *Matrix) Totals(all map[Cell]Total) []RollbackDue {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c, have := range m.cells {
		have.written = max(have.written, all[c].Written+have.unsentWrites) // Redis may have lost some
		if all[c].Version == have.version {
			have.others = all[c].Since.minus(have.sent())
		}
	}
	var due []RollbackDue
	done := map[Cell]bool{}
	for _, c := range m.plan.Cells {
		why := m.plan.Rollback.reason(all[c].Recent)
		if why == "" || all[c].Version != m.cells[c].version || m.cells[c].setting.Share() == 0 || done[c] {
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
