package staging

import "sync/atomic"

// Sides counts what went to each backend.
type Sides struct {
	Legacy    uint64 `json:"legacy"`
	Candidate uint64 `json:"candidate"`
}

// All returns the sum.
func (s Sides) All() uint64 { return s.Legacy + s.Candidate }

// tally counts calls while others read the matrix.
type tally struct{ legacy, candidate atomic.Uint64 }

func (t *tally) sides() Sides { return Sides{t.legacy.Load(), t.candidate.Load()} }
