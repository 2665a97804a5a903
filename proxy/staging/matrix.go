package staging

import (
	"sync"
	"time"
)

// Plan is the staging of a configuration.
type Plan struct {
	Candidate Candidate // the backend of the rules
	Cells     []Cell
	Rules     []Rule
	Rollback  Rollback
}

// maxHistory is the maximum number of changes in the history.
const maxHistory = 100

// Matrix has the state of each cell. It is safe for concurrent use, and belongs to the
// process: a new configuration sets another [Plan].
type Matrix struct {
	clock   func() time.Time
	changed func(Change) // called with mu held; must be quick

	mu           sync.RWMutex
	plan         Plan
	shared       bool             // all instances decide together; see Follow
	onFirstWrite func()           // nil: nothing
	wanted       map[Cell]Setting // by the plan
	cells        map[Cell]*cell
	history      []Change // the latest last
	rollbacks    uint64
}

// NewMatrix makes a matrix in which the legacy serves all calls. It calls changed, unless
// that is nil, with each change.
func NewMatrix(clock func() time.Time, changed func(Change)) *Matrix {
	if changed == nil {
		changed = func(Change) {}
	}
	return &Matrix{clock: clock, changed: changed}
}

// Configure sets the plan. Cells that were changed by hand or rolled back stay so if the plan
// has the same setting as before for a candidate of the same name, even one with other URLs.
func (m *Matrix) Configure(p Plan) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.configure(p, nil)
}

// configure sets the plan. It leaves the cells in decided to the caller.
func (m *Matrix) configure(p Plan, decided map[Cell]Decided) {
	p.Rollback = p.Rollback.withDefaults()
	now, before, cells := m.clock(), m.wanted, m.cells
	another := p.Candidate.Name != m.plan.Candidate.Name
	m.plan, m.wanted, m.cells = p, Settings(p.Cells, p.Rules), map[Cell]*cell{}
	var altered []Change
	for _, c := range p.Cells {
		want := m.wanted[c]
		have, known := cells[c]
		if _, follows := decided[c]; known && !another && (before[c] == want || follows) {
			m.cells[c] = have
			continue
		}
		var from []Setting
		if known && !another {
			from = []Setting{have.setting}
		}
		m.cells[c] = have.next(want, now, ByConfiguration, "")
		if another {
			m.cells[c].written = 0
		}
		if known && have.setting != want || (another || !known) && want.State != Legacy {
			altered = collect(altered, want, from, c)
		}
	}
	for _, change := range altered {
		m.record(change)
	}
}

func (m *Matrix) set(cells []Cell, to Setting, who, why string) {
	now, change := m.clock(), Change{To: to, Who: who, Why: why}
	for _, c := range cells {
		change.Add(c, m.cells[c].setting)
		m.cells[c] = m.cells[c].next(to.Of(c.Op), now, who, why)
	}
	m.record(change)
}

func (m *Matrix) record(c Change) {
	if c.When.IsZero() {
		c.When = m.clock()
	}
	m.history = append(m.history, c)
	m.history = m.history[max(0, len(m.history)-maxHistory):]
	m.changed(c)
}

// Route selects the backend for a call.
type Route struct {
	Candidate bool // in place of the legacy
	Fallback  bool // to the legacy, if the candidate fails
}

// Route selects the backend for a call, and counts the call: the legacy, or candidate if the
// plan has this one.
func (m *Matrix) Route(candidate Candidate, c Cell, from Client) Route {
	m.mu.RLock()
	defer m.mu.RUnlock()
	have := m.cell(candidate, c)
	if have == nil {
		return Route{}
	}
	r := have.route(from)
	have.count(from, r.Candidate)
	return r
}

// Foresee returns what Route would, and does not count the call. certain is false if Route
// selects at random.
func (m *Matrix) Foresee(candidate Candidate, c Cell, from Client) (r Route, certain bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	have := m.cell(candidate, c)
	if have == nil {
		return Route{}, true
	}
	if have.setting.random(from) {
		return Route{}, false
	}
	return have.route(from), true
}

// Count counts a call that has gone where Foresee said.
func (m *Matrix) Count(candidate Candidate, c Cell, from Client, r Route) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if have := m.cell(candidate, c); have != nil {
		have.count(from, r.Candidate)
	}
}

// Compares reports whether responses to the calls of a cell are compared, if they are in the
// sample.
func (m *Matrix) Compares(candidate Candidate, c Cell) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	have := m.cell(candidate, c)
	return have != nil && c.Op == Read && have.setting.State != Legacy
}

// cell returns nil if the plan has another candidate, or no such cell.
func (m *Matrix) cell(candidate Candidate, c Cell) *cell {
	if candidate.Name == "" || candidate != m.plan.Candidate {
		return nil
	}
	return m.cells[c]
}
