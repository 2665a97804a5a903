package staging

import (
	"slices"
)

// Status is a cell as operators see it.
type Status struct {
	Cell
	Setting
	Origin
	Counts // of all instances that decide together, as are Requests

	Requests Sides    `json:"requests"`          // of clients, including those that the cache served
	File     *Setting `json:"file,omitempty"`    // of the configuration; nil: the same
	Written  uint64   `json:"written,omitempty"` // writes that the candidate alone has
	Ever     Counts   `json:"-"`                 // since the start of the process
	Routed   Sides    `json:"-"`                 // requests since the start of the process
}

// Snapshot is a snapshot of the matrix.
type Snapshot struct {
	Candidate string   `json:"candidate"` // name; "" without a candidate
	Cells     []Status `json:"cells"`
	History   []Change `json:"history"`   // the latest first
	Rollbacks uint64   `json:"rollbacks"` // since the start, of any candidate
}

// Snapshot returns the state of the matrix.
func (m *Matrix) Snapshot() Snapshot {
	m.mu.RLock()
	defer m.mu.RUnlock()
	s := Snapshot{Candidate: m.plan.Candidate.Name, Cells: []Status{}, History: append([]Change{}, m.history...), Rollbacks: m.rollbacks}
	slices.Reverse(s.History)
	configured := Settings(m.plan.Cells, m.plan.Rules)
	for _, c := range m.plan.Cells {
		entry := m.cells[c]
		numbers := entry.numbers()
		ever := entry.ever.read()
		cell := Status{
			Cell: c, Setting: entry.Setting, Origin: entry.Origin, Counts: numbers.counts(), Requests: numbers.sides(),
			Written: count(numbers[Writes]), Ever: ever.counts(), Routed: ever.sides(),
		}
		setting := configured[c]
		if setting != entry.Setting {
			cell.File = &setting
		}
		s.Cells = append(s.Cells, cell)
	}
	return s
}

// Resources returns the resources of the matrix, in order.
func (s Snapshot) Resources() []string { return s.names(func(c Cell) string { return c.Resource }) }

// Languages returns the codes of the languages of the matrix, in order.
func (s Snapshot) Languages() []string { return s.names(func(c Cell) string { return c.Language }) }

func (s Snapshot) names(nameOf func(Cell) string) (names []string) {
	for i := range s.Cells {
		names = appendNew(names, nameOf(s.Cells[i].Cell))
	}
	return names
}
