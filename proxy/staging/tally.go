package staging

import "sync/atomic"

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
