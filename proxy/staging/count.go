package staging

import (
	"slices"
	"time"
)

// cell is what a place of the matrix is now.
type cell struct {
	setting Setting
	since   time.Time
	who     string
	why     string
	Counts  // since then
	recent  window
	refused bool // to be rolled back

	// What follows outlives a change.
	ever    Counts
	written uint64 // writes that the candidate has taken since the cell last left the legacy
}

// next is the cell after a change; nil is one in which nothing was counted.
func (c *cell) next(to Setting, now time.Time, who, why string) *cell {
	n := &cell{setting: to, since: now, who: who, why: why}
	if c == nil {
		return n
	}
	n.ever = c.ever
	if c.setting.share() > 0 && to.share() > 0 {
		n.written = c.written
	}
	return n
}

// Counts are of the candidate.
type Counts struct {
	Calls     uint64 `json:"calls"`     // that a client waited for
	Failures  uint64 `json:"failures"`  // of these
	Compared  uint64 `json:"compared"`  // answers, with the legacy's
	Different uint64 `json:"different"` // of these
}

func (c *Counts) add(n Counts) {
	c.Calls += n.Calls
	c.Failures += n.Failures
	c.Compared += n.Compared
	c.Different += n.Different
}

// slots is how many parts a window has: it forgets a part at a time.
const slots = 10

// window counts what happened lately.
type window struct {
	length time.Duration
	slots  [slots]Counts
	last   int64 // the part of time that was counted last
}

// add counts n now, and gives what there was within length. With another length it
// begins anew: the parts of time have other numbers then.
func (w *window) add(now time.Time, length time.Duration, n Counts) Counts {
	if w.length != length {
		*w = window{length: length}
	}
	at := now.UnixNano() / max(1, int64(length)/slots)
	for i := max(w.last+1, at-slots+1); i <= at; i++ {
		w.slots[i%slots] = Counts{}
	}
	w.last = max(w.last, at)
	w.slots[w.last%slots].add(n)
	var all Counts
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
	Counts

	Written uint64 `json:"written,omitempty"` // writes that the candidate alone has
	Ever    Counts `json:"-"`                 // and not only since the last change
}

// Share is how many percent of the clients the candidate answers.
func (s *Status) Share() int { return s.share() }

// Snapshot is the matrix at a moment.
type Snapshot struct {
	Candidate string   `json:"candidate"` // "" is none
	Cells     []Status `json:"cells"`
	History   []Change `json:"history"`   // the latest first
	Rollbacks uint64   `json:"rollbacks"` // since the start, of any candidate
}

// Snapshot gives the matrix as it is.
func (m *Matrix) Snapshot() Snapshot {
	m.mu.RLock()
	defer m.mu.RUnlock()
	s := Snapshot{Candidate: m.plan.Candidate.Name, Cells: []Status{}, History: []Change{}, Rollbacks: m.rollbacks}
	for _, c := range m.plan.Cells {
		have := m.cells[c]
		s.Cells = append(s.Cells, Status{
			Cell: c, Setting: have.setting, Since: have.since, Who: have.who, Why: have.why, Counts: have.Counts,
			Written: have.written, Ever: have.ever,
		})
	}
	for i := range m.history {
		s.History = append(s.History, m.history[len(m.history)-1-i])
	}
	return s
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
