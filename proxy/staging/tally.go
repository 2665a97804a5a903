package staging

import "sync/atomic"

// Counts has the counts by which a candidate is judged.
type Counts struct {
	Calls     uint64 `json:"calls"`     // for requests of clients
	Failures  uint64 `json:"failures"`  // of Calls
	Compared  uint64 `json:"compared"`  // responses, with those of the legacy
	Different uint64 `json:"different"` // of Compared
}

func (c *Counts) add(n Counts) {
	c.Calls += n.Calls
	c.Failures += n.Failures
	c.Compared += n.Compared
	c.Different += n.Different
}

// Sides counts what went to each backend.
type Sides struct {
	Legacy    uint64 `json:"legacy"`
	Candidate uint64 `json:"candidate"`
}

// All returns the sum.
func (s Sides) All() uint64 { return s.Legacy + s.Candidate }

func (s Sides) plus(n Sides) Sides { return Sides{s.Legacy + n.Legacy, s.Candidate + n.Candidate} }

// minus returns what n does not have; 0 in place of less.
func (s Sides) minus(n Sides) Sides {
	return Sides{s.Legacy - min(s.Legacy, n.Legacy), s.Candidate - min(s.Candidate, n.Candidate)}
}

// tally counts calls while others read the matrix.
type tally struct{ legacy, candidate atomic.Uint64 }

func (t *tally) sides() Sides { return Sides{t.legacy.Load(), t.candidate.Load()} }
