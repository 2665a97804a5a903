package staging

import "maps"

// Follow sets the cells that all instances have decided. From then on the matrix does not
// decide alone: it counts for [Matrix.TakeUnsent], and does not roll back. first reports that the
// process has just read the decisions for the first time: earlier rollbacks are not counted.
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

// Alone makes the matrix decide alone again.
func (m *Matrix) Alone() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shared = false
	for _, have := range m.cells {
		have.others = Since{}
	}
}

// Settings returns the setting of each cell, that of the configuration, and the name of the
// candidate.
func (m *Matrix) Settings() (have, wanted map[Cell]Setting, candidate string) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	have = make(map[Cell]Setting, len(m.cells))
	for c, s := range m.cells {
		have[c] = s.setting
	}
	return have, maps.Clone(m.wanted), m.plan.Candidate.Name
}

// Note records a change of something else than cells, such as read-only mode.
func (m *Matrix) Note(c Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.record(c)
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
