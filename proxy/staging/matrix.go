package staging

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Candidate is a backend that calls may move to. Whoever asks or reports about one says
// which: while a configuration replaces another, both are in use, and the candidate of
// one must get nothing that the plan of the other routes.
type Candidate struct {
	Name  string // "" is none
	Place string // where its calls go; compared, and never shown
}

// Plan is what a configuration wants.
type Plan struct {
	Candidate Candidate // the backend that the rules mean
	Cells     []Cell
	Rules     []Rule
	Rollback  Rollback
}

// Change is one that was made to the matrix.
type Change struct {
	When  time.Time `json:"when"`
	Cells []Cell    `json:"cells"`
	To    Setting   `json:"to"`
	Who   string    `json:"who"` // one of the names below, or who told the admin listener
	Why   string    `json:"why,omitempty"`
}

// Who changes the matrix when nobody does by hand.
const (
	ByConfiguration = "configuration"
	ByRollback      = "rollback"
)

// maxHistory is how many changes are remembered.
const maxHistory = 100

// Matrix holds the states. It is safe for concurrent use, and lives as long as
// the process: a new configuration is another [Plan] for it.
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

// NewMatrix makes a matrix in which the legacy answers all. changed hears of each
// change and may be nil.
func NewMatrix(clock func() time.Time, changed func(Change)) *Matrix {
	if changed == nil {
		changed = func(Change) {}
	}
	return &Matrix{clock: clock, changed: changed}
}

// Configure takes another plan. What was changed by hand, or was rolled back,
// stays where the plan says the same as before of a candidate of the same name: one that
// has moved is still what the operator decided about.
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
		m.tell(change)
	}
}

// collect adds a cell to the change that leads to the same.
func collect(changes []Change, to Setting, c Cell) []Change {
	i := slices.IndexFunc(changes, func(other Change) bool { return other.To == to })
	if i < 0 {
		i, changes = len(changes), append(changes, Change{To: to, Who: ByConfiguration})
	}
	changes[i].Cells = append(changes[i].Cells, c)
	return changes
}

// The errors of Set that are no fault of its arguments.
var (
	ErrSplit       = errors.New("reads and writes would go to different backends")
	ErrNoCandidate = errors.New("there is no candidate")
)

// Set changes a part of the matrix, live. force has it whatever [Split] says.
func (m *Matrix) Set(part Selection, to Setting, who, why string, force bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	chosen, err := m.choose(part, to)
	if err != nil && !(force && errors.Is(err, ErrSplit)) {
		return err
	}
	m.put(chosen, to, who, why)
	return nil
}

// Try gives the cells that Set would change, and the error that it would have
// without force. With [ErrSplit] it gives the cells too.
func (m *Matrix) Try(part Selection, to Setting) ([]Cell, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.choose(part, to)
}

func (m *Matrix) choose(part Selection, to Setting) ([]Cell, error) {
	if err := to.Check(); err != nil {
		return nil, err
	}
	if m.plan.Candidate.Name == "" {
		return nil, ErrNoCandidate
	}
	var chosen []Cell
	apt := false
	after := map[Cell]Setting{}
	for _, c := range m.plan.Cells {
		after[c] = m.cells[c].setting
		if part.has(c) {
			chosen, after[c] = append(chosen, c), to.of(c.Op)
			apt = apt || after[c] == to
		}
	}
	switch {
	case len(chosen) == 0:
		return nil, errors.New("nothing of the matrix is chosen")
	case !apt:
		return nil, fmt.Errorf("writes alone cannot be %s: a write is made once, at one place", to)
	}
	if split := Split(touched(m.plan.Cells, chosen), after); len(split) > 0 {
		return chosen, fmt.Errorf("%w: %s", ErrSplit, firstOf(split))
	}
	return chosen, nil
}

// touched are the cells that share resource and language with a chosen one.
func touched(cells, chosen []Cell) []Cell {
	var all []Cell
	for _, c := range cells {
		for _, other := range chosen {
			if c.Resource == other.Resource && c.Language == other.Language {
				all = append(all, c)
				break
			}
		}
	}
	return all
}

// firstOf tells a few, and how many more there are: a change of all is split
// everywhere in the same way.
func firstOf(split []string) string {
	const few = 3
	if len(split) <= few {
		return strings.Join(split, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(split[:few], "; "), len(split)-few)
}

func (m *Matrix) put(cells []Cell, to Setting, who, why string) {
	now := m.clock()
	for _, c := range cells {
		m.cells[c] = m.cells[c].next(to.of(c.Op), now, who, why)
	}
	m.tell(Change{Cells: cells, To: to, Who: who, Why: why})
}

func (m *Matrix) tell(c Change) {
	c.When = m.clock()
	m.history = append(m.history, c)
	m.history = m.history[max(0, len(m.history)-maxHistory):]
	m.changed(c)
}

// Route is who answers a call.
type Route struct {
	Candidate bool // and not the legacy
	Fallback  bool // the legacy, should the candidate fail
	Compare   bool // both are to be compared afterwards, as far as the sample goes
}

// Route returns who answers a call of a client in a [Bucket], of the legacy and the
// candidate that who is. Where the plan is about another candidate, it is the legacy.
func (m *Matrix) Route(who Candidate, c Cell, bucket int) Route {
	m.mu.RLock()
	defer m.mu.RUnlock()
	have := m.cell(who, c)
	if have == nil {
		return Route{}
	}
	return Route{
		Candidate: bucket < have.setting.share(),
		Fallback:  have.setting.State == NewWithFallback,
		Compare:   c.Op == Read && have.setting.State != Legacy,
	}
}

// cell is nil where the plan is about another candidate, or knows no such cell.
func (m *Matrix) cell(who Candidate, c Cell) *cell {
	if who.Name == "" || who != m.plan.Candidate {
		return nil
	}
	return m.cells[c]
}

// Answered counts an answer of the candidate that a client waited for, and rolls
// back when too many failed. What is reported of a candidate that the plan is not about
// counts for nothing, here and below.
func (m *Matrix) Answered(who Candidate, c Cell, failed bool) {
	m.count(who, c, Counts{Calls: 1, Failures: number(failed)})
}

// Wrote counts a write that the candidate has made, or may have: where it is to stop
// a rollback it must be told before the answer is counted.
func (m *Matrix) Wrote(who Candidate, c Cell) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if have := m.cell(who, c); have != nil {
		have.written++
	}
}

// Compared counts a comparison, and rolls back when too many differed.
func (m *Matrix) Compared(who Candidate, c Cell, differs bool) {
	m.count(who, c, Counts{Compared: 1, Different: number(differs)})
}

func number(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (m *Matrix) count(who Candidate, c Cell, n Counts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	have := m.cell(who, c)
	if have == nil {
		return
	}
	have.Counts.add(n)
	have.ever.add(n)
	recent := have.recent.add(m.clock(), m.plan.Rollback.Window, n)
	if why := m.plan.Rollback.reason(recent); why != "" && have.setting.share() > 0 {
		m.rollBack(c, why)
	}
}
