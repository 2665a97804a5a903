package staging

import (
	"slices"
	"time"
)

// Status is a cell as operators see it.
type Status struct {
	Cell
	Setting
	Since  time.Time `json:"since"`
	Who    string    `json:"who"`
	Why    string    `json:"why,omitempty"`
	Counts           // of all instances that decide together, as are Requests

	Requests Sides  `json:"requests"`          // of clients, including those that the cache served
	Clients  *Sides `json:"clients,omitempty"` // estimates, of a canary by clients, at this instance

	Version uint64   `json:"version,omitempty"` // of the decisions of all instances that set it; 0: this instance did
	File    *Setting `json:"file,omitempty"`    // of the configuration; nil: the same
	Written uint64   `json:"written,omitempty"` // writes that the candidate alone has
	Ever    Counts   `json:"-"`                 // since the start of the process
	Routed  Sides    `json:"-"`                 // requests since the start of the process
}

// Snapshot is a snapshot of the matrix.
type Snapshot struct {
	Candidate string   `json:"candidate"` // name; "" if there is none
	Cells     []Status `json:"cells"`
	History   []Change `json:"history"`   // the latest first
	Rollbacks uint64   `json:"rollbacks"` // since the start, of any candidate
}

// Snapshot returns the state of the matrix.
func (m *Matrix) Snapshot() Snapshot {
	m.mu.RLock()
	defer m.mu.RUnlock()
	s := Snapshot{Candidate: m.plan.Candidate.Name, Cells: []Status{}, History: []Change{}, Rollbacks: m.rollbacks}
	for _, c := range m.plan.Cells {
		have := m.cells[c]
		counted := have.all()
		cell := Status{
			Cell: c, Setting: have.setting, Since: have.since, Who: have.who, Why: have.why, Counts: counted.Counts,
			Version: have.version, Written: have.written, Ever: have.ever,
			Requests: counted.Requests, Clients: have.clientSides(), Routed: have.routed.sides(),
		}
		if want := m.wanted[c]; want != have.setting {
			cell.File = &want
		}
		s.Cells = append(s.Cells, cell)
	}
	for i := range m.history {
		s.History = append(s.History, m.history[len(m.history)-1-i])
	}
	return s
}

// Differing returns the cells whose setting is not that of the configuration.
func (s Snapshot) Differing() []Cell {
	var all []Cell
	for i := range s.Cells {
		if s.Cells[i].File != nil {
			all = append(all, s.Cells[i].Cell)
		}
	}
	return all
}

// Resources returns the resources of the matrix, in its order.
func (s Snapshot) Resources() []string { return s.names(func(c Cell) string { return c.Resource }) }

// Languages returns the codes of the languages of the matrix, in its order.
func (s Snapshot) Languages() []string { return s.names(func(c Cell) string { return c.Language }) }

func (s Snapshot) names(of func(Cell) string) []string {
	var names []string
	for i := range s.Cells {
		if name := of(s.Cells[i].Cell); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
