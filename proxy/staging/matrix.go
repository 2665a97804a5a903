package staging

import (
	"slices"
	"sync"
	"time"
)

// Candidate identifies a backend that may replace the legacy. The methods of [Matrix] take
// one because two configurations are in use during a reload: the candidate of one must not
// get calls by the plan of the other.
type Candidate struct {
	Name  string // "" if there is none
	Place string // URLs of the backend; compared, and never shown
}

// Plan is the staging of a configuration.
type Plan struct {
	Candidate Candidate // the backend of the rules
	Cells     []Cell
	Rules     []Rule
	Rollback  Rollback
}

// Change is a change of the matrix.
type Change struct {
	Version  uint64    `json:"version,omitempty"` // of the decisions of all instances; 0: of one instance
	When     time.Time `json:"when"`
	Cells    []Cell    `json:"cells"`
	From     []Setting `json:"from,omitempty"` // what the cells had; each setting once
	To       Setting   `json:"to"`
	Mode     string    `json:"mode,omitempty"` // instead of cells and To: read_only or read_write
	Who      string    `json:"who"`            // one of the names below, or the client of the admin listener
	Why      string    `json:"why,omitempty"`
	Instance string    `json:"instance,omitempty"` // that made the change
}

// Change.Who of automatic changes.
const (
	ByConfiguration = "configuration"
	ByRollback      = "rollback"
)

// maxHistory is how many changes are remembered.
const maxHistory = 100

// Matrix has the state of each cell. It is safe for concurrent use, and belongs to the
// process: a new configuration sets another [Plan].
type Matrix struct {
	clock   func() time.Time
	changed func(Change) // called with mu held; must be quick

	mu        sync.RWMutex
	plan      Plan
	shared    bool             // all instances decide together: see Follow
	wrote     func()           // see OnFirstWrite; nil: nothing
	wanted    map[Cell]Setting // by the plan
	cells     map[Cell]*cell
	history   []Change // the latest last
	rollbacks uint64
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

// configure sets the plan. The caller sets the cells that are decided.
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

// collect adds a cell to the change with the same setting.
func collect(changes []Change, to Setting, from []Setting, c Cell) []Change {
	i := slices.IndexFunc(changes, func(other Change) bool { return other.To == to })
	if i < 0 {
		i, changes = len(changes), append(changes, Change{To: to, Who: ByConfiguration})
	}
	changes[i].Add(c, from...)
	return changes
}

// Add adds a cell and what it had to the change.
func (c *Change) Add(cell Cell, from ...Setting) {
	c.Cells = append(c.Cells, cell)
	for _, s := range from {
		if !slices.Contains(c.From, s) {
			c.From = append(c.From, s)
		}
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
