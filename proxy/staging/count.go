package staging

import "time"

// cell is what a place of the matrix is now, since its last change.
type cell struct {
	setting Setting
	since   time.Time
	who     string
	why     string
	total   counts
	recent  window
	refused bool // to be rolled back
}

// counts are of the candidate.
type counts struct {
	Calls     uint64 `json:"calls"`     // that a client waited for
	Failures  uint64 `json:"failures"`  // of these
	Compared  uint64 `json:"compared"`  // answers, with the legacy's
	Different uint64 `json:"different"` // of these
}

func (c *counts) add(n counts) {
	c.Calls += n.Calls
	c.Failures += n.Failures
	c.Compared += n.Compared
	c.Different += n.Different
}

// slots is how many parts a window has: it forgets a part at a time.
const slots = 10

// window counts what happened lately.
type window struct {
	slots [slots]counts
	last  int64 // the part of time that was counted last
}

// add counts n now, and gives what there was within length.
func (w *window) add(now time.Time, length time.Duration, n counts) counts {
	at := now.UnixNano() / max(1, int64(length)/slots)
	for i := max(w.last+1, at-slots+1); i <= at; i++ {
		w.slots[i%slots] = counts{}
	}
	w.last = max(w.last, at)
	w.slots[w.last%slots].add(n)
	var all counts
	for _, s := range w.slots {
		all.add(s)
	}
	return all
}

// Status is a place of the matrix as operators see it.
type Status struct {
	Cell
	Setting
	Since time.Time `json:"since"`
	Who   string    `json:"who"`
	Why   string    `json:"why,omitempty"`
	counts
}

// Snapshot is the matrix at a moment.
type Snapshot struct {
	Candidate string   `json:"candidate"` // "" is none
	Cells     []Status `json:"cells"`
	History   []Change `json:"history"` // the latest first
}

// Snapshot gives the matrix as it is.
func (m *Matrix) Snapshot() Snapshot {
	m.mu.RLock()
	defer m.mu.RUnlock()
	s := Snapshot{Candidate: m.plan.Candidate}
	for _, c := range m.plan.Cells {
		have := m.cells[c]
		s.Cells = append(s.Cells, Status{c, have.setting, have.since, have.who, have.why, have.total})
	}
	for i := range m.history {
		s.History = append(s.History, m.history[len(m.history)-1-i])
	}
	return s
}
