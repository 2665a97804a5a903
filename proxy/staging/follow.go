package staging

import (
	"maps"
	"time"
)

// Decided is a setting that all instances have decided together.
type Decided struct {
	Setting
	Version  uint64 // of the decisions that set it
	Since    time.Time
	Who, Why string
	Instance string // that made the change
}

// Follow sets the cells that all instances have decided. From then on the matrix does not
// decide alone: it counts for [Matrix.Untold], and does not roll back. first is that the
// process has just learned of the decisions: their rollbacks are not counted again.
func (m *Matrix) Follow(decided map[Cell]Decided, first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.follow(decided, first)
}

// ConfigureAndFollow is [Matrix.Configure] and [Matrix.Follow] in one step.
func (m *Matrix) ConfigureAndFollow(p Plan, decided map[Cell]Decided) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.configure(p, decided)
	m.follow(decided, false)
}

func (m *Matrix) follow(decided map[Cell]Decided, first bool) {
	m.shared = true
	var changes []Change
	for _, c := range m.plan.Cells {
		have, to := m.cells[c], decided[c]
		if to.State == "" || have.version == to.Version && have.setting == to.Setting {
			continue
		}
		if have.setting != to.Setting {
			changes = collectDecided(changes, c, have.setting, to)
		}
		m.cells[c] = have.next(to.Setting, to.Since, to.Who, to.Why)
		m.cells[c].version = to.Version
	}
	for _, change := range changes {
		if change.Who == ByRollback && !first {
			m.rollbacks++
		}
		m.record(change)
	}
}

// OnFirstWrite sets what Wrote calls after the first write of a cell that the candidate alone
// has, before the client has its response: all instances must know of it before one of them
// rolls back.
func (m *Matrix) OnFirstWrite(tell func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wrote = tell
}

// Alone ends what Follow began.
func (m *Matrix) Alone() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shared = false
	for _, have := range m.cells {
		have.others = Since{}
	}
}

// collectDecided adds a cell to the change that has set it.
func collectDecided(changes []Change, c Cell, from Setting, to Decided) []Change {
	for i := range changes {
		if same := &changes[i]; same.Version == to.Version && same.To == to.Setting && same.Who == to.Who && same.Why == to.Why {
			same.Add(c, from)
			return changes
		}
	}
	change := Change{Version: to.Version, When: to.Since, To: to.Setting, Who: to.Who, Why: to.Why, Instance: to.Instance}
	change.Add(c, from)
	return append(changes, change)
}

// Settings returns the setting of each cell, and what the configuration says.
func (m *Matrix) Settings() (have, wanted map[Cell]Setting, candidate string) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	have = make(map[Cell]Setting, len(m.cells))
	for c, s := range m.cells {
		have[c] = s.setting
	}
	return have, maps.Clone(m.wanted), m.plan.Candidate.Name
}

// Note records a change that is not one of the matrix.
func (m *Matrix) Note(c Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.record(c)
}

// Untold is what an instance has counted since the last time, of one cell.
type Untold struct {
	Version uint64 // of the cell
	Counts         // for the window of a rollback
	Since   Since
	Writes  uint64
}

// Untold returns what was counted since it was called last, and the rollback's window.
func (m *Matrix) Untold() (counted map[Cell]Untold, window time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	counted = map[Cell]Untold{}
	for c, have := range m.cells {
		n := Untold{have.version, have.untold, have.own().minus(have.told()), have.untoldWrites}
		if n == (Untold{Version: have.version}) {
			continue
		}
		counted[c] = n
		have.untold, have.unsummed, have.untoldWrites = Counts{}, Counts{}, 0
		have.summed = have.summed.plus(n.Since.Requests)
	}
	return counted, m.plan.Rollback.Window
}

// Return gives back writes, and what was counted since the change of a cell, that could not be
// added to those of all instances. What was counted for the window is too old by the next time.
func (m *Matrix) Return(counted map[Cell]Untold) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c, n := range counted {
		have := m.cells[c]
		if have == nil {
			continue
		}
		have.untoldWrites += n.Writes
		if have.version == n.Version {
			have.unsummed.add(n.Since.Counts)
			have.summed = have.summed.minus(n.Since.Requests)
		}
	}
}

// RollbackDue is a rollback to the legacy that the counts of all instances call for.
type RollbackDue struct {
	Cells       []Cell
	Why         string
	AfterWrites bool // also if there are writes that the candidate alone has
	Refused     bool // because of such writes
}

// Total is what all instances have counted of a version of a cell, within the window and since
// the change, and the writes that the candidate alone has.
type Total struct {
	Version uint64
	Recent  Counts
	Since   Since
	Written uint64
}

// Totals sets the writes that the candidate alone has, and what other instances have counted. It
// returns the rollbacks that are due. Each refusal is recorded once.
func (m *Matrix) Totals(all map[Cell]Total) []RollbackDue {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c, have := range m.cells {
		have.written = max(have.written, all[c].Written+have.untoldWrites) // Redis may have lost some
		if all[c].Version == have.version {
			have.others = all[c].Since.minus(have.told())
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

// Versions returns the version of each cell.
func (m *Matrix) Versions() (versions map[Cell]uint64, candidate string) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	versions = make(map[Cell]uint64, len(m.cells))
	for c, have := range m.cells {
		versions[c] = have.version
	}
	return versions, m.plan.Candidate.Name
}
