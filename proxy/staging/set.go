package staging

import (
	"errors"
	"fmt"
)

// The errors of Set that depend on the state of the matrix.
var (
	ErrSplit       = errors.New("reads and writes would go to different backends")
	ErrNoCandidate = errors.New("there is no candidate")
)

// Set changes a part of the matrix. force permits changes that [Split] reports.
func (m *Matrix) Set(part Selection, to Setting, who, why string, force bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	chosen, err := m.choose(part, to)
	if err != nil && !(force && errors.Is(err, ErrSplit)) {
		return err
	}
	m.set(chosen, to, who, why)
	return nil
}

// Try returns the cells that Set would change, and the error that it would return without
// force. It returns the cells with [ErrSplit], too.
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
	applies := false
	after := map[Cell]Setting{}
	for _, c := range m.plan.Cells {
		after[c] = m.cells[c].setting
		if part.has(c) {
			chosen, after[c] = append(chosen, c), to.Of(c.Op)
			applies = applies || after[c] == to
		}
	}
	switch {
	case len(chosen) == 0:
		return nil, errors.New("the selection matches no cell")
	case !applies:
		return nil, fmt.Errorf("writes alone cannot be %s: a write is sent once, to one backend", to)
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
