package staging

import (
	"hash/fnv"
	"math/rand/v2"
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
	When  time.Time `json:"when"`
	Cells []Cell    `json:"cells"`
	To    Setting   `json:"to"`
	Who   string    `json:"who"` // one of the names below, or the client of the admin listener
	Why   string    `json:"why,omitempty"`
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
	p.Rollback = p.Rollback.withDefaults()
	m.mu.Lock()
	defer m.mu.Unlock()
	now, before, cells := m.clock(), m.wanted, m.cells
	another := p.Candidate.Name != m.plan.Candidate.Name
	m.plan, m.wanted, m.cells = p, Settings(p.Cells, p.Rules), map[Cell]*cell{}
	var altered []Change
	for _, c := range p.Cells {
		want := m.wanted[c]
		have, known := cells[c]
		if known && !another && before[c] == want {
			m.cells[c] = have
			continue
		}
		m.cells[c] = have.next(want, now, ByConfiguration, "")
		if another {
			m.cells[c].written = 0
		}
		if known && have.setting != want || (another || !known) && want.State != Legacy {
			altered = collect(altered, want, c)
		}
	}
	for _, change := range altered {
		m.record(change)
	}
}

// collect adds a cell to the change with the same setting.
func collect(changes []Change, to Setting, c Cell) []Change {
	i := slices.IndexFunc(changes, func(other Change) bool { return other.To == to })
	if i < 0 {
		i, changes = len(changes), append(changes, Change{To: to, Who: ByConfiguration})
	}
	changes[i].Cells = append(changes[i].Cells, c)
	return changes
}

func (m *Matrix) set(cells []Cell, to Setting, who, why string) {
	now := m.clock()
	for _, c := range cells {
		m.cells[c] = m.cells[c].next(to.of(c.Op), now, who, why)
	}
	m.record(Change{Cells: cells, To: to, Who: who, Why: why})
}

func (m *Matrix) record(c Change) {
	c.When = m.clock()
	m.history = append(m.history, c)
	m.history = m.history[max(0, len(m.history)-maxHistory):]
	m.changed(c)
}

// Client is the client of a call, as far as a canary depends on it.
type Client struct {
	Number      uint64 // the same each time and on every instance; see [NumberOf]
	Credentials bool   // the call has credentials
}

// NumberOf returns the number of a client that a text identifies.
func NumberOf(client string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(client)) // never fails
	return h.Sum64()
}

// bucket returns a number from 0 to 99. A canary serves the numbers below its percentage, so
// that its clients stay in it when it grows.
func bucket(number uint64) int { return int(number % 100) }

// Bucket returns the bucket of a text.
func Bucket(text string) int { return bucket(NumberOf(text)) }

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
	chosen := have.setting.serves(from)
	have.count(from, chosen)
	return Route{Candidate: chosen, Fallback: have.setting.State == NewWithFallback}
}

// serves reports whether the candidate serves a call of a client.
func (s Setting) serves(from Client) bool {
	if s.By == Requests {
		return !from.Credentials && rand.IntN(100) < s.Percent // #nosec G404 -- distributes load, and protects nothing
	}
	return bucket(from.Number) < s.share()
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
