package staging

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// MaxHistory is the maximum number of changes in the history, of this instance or of all.
const MaxHistory = 100

// Matrix has the state of each cell. A matrix is safe for concurrent use, and belongs to the
// process: a new configuration sets another [Plan].
type Matrix struct {
	clock   func() time.Time
	changed func(Change) // called with mu held; must be quick; nil: nothing

	mu        sync.RWMutex
	plan      Plan
	decisions Decisions // is replaced, never changed
	shared    func()    // called after the first write of a cell; nil: this instance decides alone
	cells     map[Cell]*cellState
	history   []Change // the latest last
	rollbacks uint64
}

// NewMatrix makes a matrix in which the legacy serves all calls. The matrix calls changed with
// each change; changed may be nil.
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
// itself from then on: see [Matrix.Sum]. The matrix calls wrote after the first write of a cell that the
// candidate alone has, before the client has the response: all instances must know of the write before
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
	another := p.Candidate.Name != m.plan.Candidate.Name
	earlier := m.decisions
	cells := map[Cell]*cellState{}
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

// Decisions returns the decisions that the matrix follows. The caller must not change them.
func (m *Matrix) Decisions() Decisions {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.decisions
}

// Origin returns the origin of a decision that is made now.
func (m *Matrix) Origin(actor, why string) Origin {
	return Origin{Since: m.clock().UTC().Round(0), Who: actor, Why: why}
}

// set sets cells at this instance alone.
func (m *Matrix) set(cells []Cell, setting Setting, actor, why string) {
	next := m.decisions.Clone()
	next.Set(m.plan.Candidate.Name, cells, setting, m.Origin(actor, why))
	m.follow(m.plan, next, false)
}

// The errors of Set that depend on the state of the matrix.
var (
	ErrSplit       = errors.New("reads and writes would go to different backends")
	ErrNoCandidate = errors.New("there is no candidate")
)

// Set changes a part of the matrix, at this instance alone. force permits changes that [Split]
// reports.
func (m *Matrix) Set(part Selection, setting Setting, actor, why string, force bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	chosen, err := m.choose(part, setting, force)
	if err == nil {
		m.set(chosen, setting, actor, why)
	}
	return err
}

// Try returns the cells that Set would change, and the error that Set would return. With [ErrSplit] Try returns the
// cells too.
func (m *Matrix) Try(part Selection, setting Setting, force bool) ([]Cell, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.choose(part, setting, force)
}

func (m *Matrix) choose(part Selection, setting Setting, force bool) (chosen []Cell, err error) {
	if err := setting.Check(); err != nil {
		return nil, err
	}
	if m.plan.Candidate.Name == "" {
		return nil, ErrNoCandidate
	}
	applies := false
	settings := map[Cell]Setting{}
	touched := []Cell(nil)
	allOps := part
	allOps.Ops = nil
	for _, c := range m.plan.Cells {
		settings[c] = m.cells[c].Setting
		if part.Has(c) {
			chosen = append(chosen, c)
			settings[c] = setting.Of(c.Op)
			applies = applies || settings[c] == setting
		}
		if allOps.Has(c) {
			touched = append(touched, c)
		}
	}
	switch {
	case len(chosen) == 0:
		return nil, errors.New("the selection matches no cell")
	case !applies:
		return nil, fmt.Errorf("writes alone cannot be %s: a write is sent once, to one backend", setting)
	}
	split := Split(touched, settings)
	if len(split) > 0 && !force {
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
	m.history = m.history[max(0, len(m.history)-MaxHistory):]
	if m.changed != nil {
		m.changed(c)
	}
}

// cellState is the state of a [Cell].
type cellState struct {
	Decision
	ever    *counters // since the start of the process
	counted Numbers   // part of ever that is in total, or from before the last change
	judged  Numbers   // likewise for rollbacks
	total   Numbers   // of all instances since the change, when they were last added up
	recent  window    // of an instance that decides alone
	refused bool      // a rollback was refused, and reported
}

// counters count while others read the matrix.
type counters [kinds]atomic.Int64

func (c *counters) read() (n Numbers) {
	for i := range n {
		n[i] = c[i].Load()
	}
	return n
}

func (c *counters) add(n Numbers) {
	for i := range n {
		c[i].Add(n[i])
	}
}

// next returns the cell after a decision, of another candidate or of the same. c may be nil: a
// new cell. Writes are counted since the cell left the legacy, the other numbers since the change.
func (c *cellState) next(decision Decision, another bool) *cellState {
	if c == nil {
		return &cellState{Decision: decision, ever: new(counters), recent: window{}}
	}
	if !another && c.Setting == decision.Setting && c.Origin == decision.Origin {
		c.Decision = decision
		return c
	}
	n := &cellState{Decision: decision, ever: c.ever, counted: c.ever.read(), recent: window{}}
	n.judged = n.counted
	if !another && c.Moved == decision.Moved && c.Share() > 0 && decision.Share() > 0 {
		n.counted[Writes], n.total[Writes] = c.counted[Writes], c.total[Writes]
	}
	return n
}

// unsent returns the counts of this instance that are not in total.
func (c *cellState) unsent() Numbers { return c.ever.read().minus(c.counted) }

// numbers returns the counts of all instances, as far as this instance knows.
func (c *cellState) numbers() Numbers { return c.total.plus(c.unsent()) }

// Route is the backend that serves a call.
type Route struct {
	Candidate bool // the candidate serves, not the legacy
	Fallback  bool // to the legacy, if the candidate fails
}

// Foresee selects the backend for a call, without counting the call: the legacy, or candidate if the plan has this
// candidate. certain is false for a random selection.
func (m *Matrix) Foresee(candidate Candidate, c Cell, client Client) (r Route, certain bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	entry := m.cell(candidate, c)
	if entry == nil {
		return Route{}, true
	}
	return Route{Candidate: entry.serves(client), Fallback: entry.State == NewWithFallback}, !entry.random(client)
}

// Count counts a call that has gone where Foresee said.
func (m *Matrix) Count(candidate Candidate, c Cell, r Route) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	entry := m.cell(candidate, c)
	switch {
	case entry == nil:
	case r.Candidate:
		entry.ever[ToCandidate].Add(1)
	default:
		entry.ever[ToLegacy].Add(1)
	}
}

// Compares reports whether responses to the calls of a cell are compared, if they are in the
// sample.
func (m *Matrix) Compares(candidate Candidate, c Cell) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	entry := m.cell(candidate, c)
	return entry != nil && c.Op == Read && entry.State != Legacy
}

// cell returns nil if the plan has another candidate, or no such cell.
func (m *Matrix) cell(candidate Candidate, c Cell) *cellState {
	if candidate.Name == "" || candidate != m.plan.Candidate {
		return nil
	}
	return m.cells[c]
}
