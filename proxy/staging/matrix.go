package staging

import (
	"errors"
	"fmt"
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
	changed func(Change) // called with mu held; must be quick; nil: nothing

	mu        sync.RWMutex
	plan      Plan
	decisions Decisions // is replaced, never changed
	shared    func()    // called after the first write of a cell; nil: this instance decides alone
	cells     map[Cell]*cell
	history   []Change // the latest last
	rollbacks uint64
}

// NewMatrix makes a matrix in which the legacy serves all calls. It calls changed, unless
// that is nil, with each change.
func NewMatrix(clock func() time.Time, changed func(Change)) *Matrix {
	return &Matrix{clock: clock, changed: changed}
}

// Configure sets the plan of an instance that decides alone. Cells that were changed by hand or
// rolled back stay so if the plan has the same setting as before for a candidate of the same name,
// even one with other URLs.
func (m *Matrix) Configure(p Plan) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shared = nil
	next := m.decisions.Clone()
	next.Adopt(p, m.plan, m.Origin(ByConfiguration, ""))
	m.follow(p, next, false)
}

// Follow sets a plan, and decisions that all instances have made. The matrix rolls nothing back by
// itself from then on: see [Matrix.Sum]. It calls wrote after the first write of a cell that the
// candidate alone has, before the client has its response: all instances must know of it before
// one of them rolls back. first reports that the process has just read the decisions for the first
// time: earlier rollbacks are not counted.
func (m *Matrix) Follow(p Plan, d Decisions, first bool, wrote func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shared = wrote
	m.follow(p, d, first)
}

func (m *Matrix) follow(p Plan, d Decisions, first bool) {
	p.Rollback = p.Rollback.WithDefaults()
	another, earlier, cells := p.Candidate.Name != m.plan.Candidate.Name, m.decisions, map[Cell]*cell{}
	if another {
		earlier.Settings = nil
	}
	for _, c := range p.Cells {
		cells[c] = m.cells[c].next(d.Of(p.Candidate.Name, c), another)
	}
	m.plan, m.decisions, m.cells = p, d, cells
	for _, change := range d.Changes(p, earlier) {
		if change.Who == ByRollback && !first {
			m.rollbacks++
		}
		m.record(change)
	}
}

// Decisions returns what the matrix follows. It must not be changed.
func (m *Matrix) Decisions() Decisions {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.decisions
}

// Origin returns the origin of a decision that is made now.
func (m *Matrix) Origin(who, why string) Origin {
	return Origin{Since: m.clock().UTC().Round(0), Who: who, Why: why}
}

// set sets cells at this instance alone.
func (m *Matrix) set(cells []Cell, to Setting, who, why string) {
	next := m.decisions.Clone()
	next.Set(m.plan.Candidate.Name, cells, to, m.Origin(who, why))
	m.follow(m.plan, next, false)
}

// The errors of Set that depend on the state of the matrix.
var (
	ErrSplit       = errors.New("reads and writes would go to different backends")
	ErrNoCandidate = errors.New("there is no candidate")
)

// Set changes a part of the matrix, at this instance alone. force permits changes that [Split]
// reports.
func (m *Matrix) Set(part Selection, to Setting, who, why string, force bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	chosen, err := m.choose(part, to, force)
	if err == nil {
		m.set(chosen, to, who, why)
	}
	return err
}

// Try returns the cells that Set would change, and the error that it would return. It returns the
// cells with [ErrSplit], too.
func (m *Matrix) Try(part Selection, to Setting, force bool) ([]Cell, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.choose(part, to, force)
}

func (m *Matrix) choose(part Selection, to Setting, force bool) (chosen []Cell, err error) {
	if err := to.Check(); err != nil {
		return nil, err
	}
	if m.plan.Candidate.Name == "" {
		return nil, ErrNoCandidate
	}
	applies, after, touched, both := false, map[Cell]Setting{}, []Cell(nil), part
	both.Ops = nil
	for _, c := range m.plan.Cells {
		after[c] = m.cells[c].Setting
		if part.has(c) {
			chosen, after[c] = append(chosen, c), to.Of(c.Op)
			applies = applies || after[c] == to
		}
		if both.has(c) {
			touched = append(touched, c)
		}
	}
	switch {
	case len(chosen) == 0:
		return nil, errors.New("the selection matches no cell")
	case !applies:
		return nil, fmt.Errorf("writes alone cannot be %s: a write is sent once, to one backend", to)
	}
	if split := Split(touched, after); len(split) > 0 && !force {
		return chosen, fmt.Errorf("%w: %s", ErrSplit, firstOf(split))
	}
	return chosen, nil
}

// Note records a change of something else than cells, such as read-only mode.
func (m *Matrix) Note(c Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.record(c)
}

func (m *Matrix) record(c Change) {
	m.history = append(m.history, c)
	m.history = m.history[max(0, len(m.history)-maxHistory):]
	if m.changed != nil {
		m.changed(c)
	}
}
