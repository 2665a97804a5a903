package staging

import (
	"cmp"
	"fmt"
	"maps"
	"time"
)

// Rollback returns a resource in a language to the legacy site automatically. The zero value does not.
type Rollback struct {
	// Errors is the share of failed calls to the candidate, in percent, beyond
	// which it rolls back, 0 to 100. Default 5; 0 disables it.
	Errors int `yaml:"errors" default:"5" check:"range 0 100"`

	Calls  int           `yaml:"-"` // within Window, before a percentage applies; 0 is 20
	Window time.Duration `yaml:"-"` // 0 is a minute
}

// WithDefaults sets fields that are 0.
func (r Rollback) WithDefaults() Rollback {
	r.Calls = cmp.Or(r.Calls, 20)
	r.Window = cmp.Or(r.Window, time.Minute)
	return r
}

// reason returns the reason for a rollback; "" without a reason.
func (r Rollback) reason(n Numbers) string {
	part, total := n[Failures], n[Calls]
	if r.Errors > 0 && total >= int64(r.Calls) && part*100 > total*int64(r.Errors) {
		return fmt.Sprintf("%d of %d responses failed within %s", part, total, r.Window)
	}
	return ""
}

// Number is a number that is counted of a cell.
type Number int

// The numbers. NumberNames has their names.
const (
	Calls     Number = iota // on the candidate, for requests of clients
	Failures                // of Calls
	Compared                // responses that were compared with responses of the legacy
	Different               // of Compared
	ToLegacy                // requests of clients
	ToCandidate
	Writes // that the candidate has accepted
	kinds
)

// NumberNames are the names of the numbers.
var NumberNames = [kinds]string{"calls", "failures", "compared", "different", "legacy", "candidate", "writes"}

// Numbers has the value, or the growth, of each number.
type Numbers [kinds]int64

func (n Numbers) plus(o Numbers) Numbers { return n.minus(Numbers{}.minus(o)) }

func (n Numbers) minus(o Numbers) Numbers {
	for i := range n {
		n[i] -= o[i]
	}
	return n
}

// Counts are the numbers by which a candidate is judged.
type Counts struct {
	Calls     uint64 `json:"calls"`     // for requests of clients
	Failures  uint64 `json:"failures"`  // of Calls
	Compared  uint64 `json:"compared"`  // responses that were compared with responses of the legacy
	Different uint64 `json:"different"` // of Compared
}

func (n Numbers) counts() Counts {
	return Counts{
		Calls:     count(n[Calls]),
		Failures:  count(n[Failures]),
		Compared:  count(n[Compared]),
		Different: count(n[Different]),
	}
}

// Sides are how many went to each backend.
type Sides struct {
	Legacy    uint64 `json:"legacy"`
	Candidate uint64 `json:"candidate"`
}

// All returns the sum.
func (s Sides) All() uint64 { return s.Legacy + s.Candidate }

func (n Numbers) sides() Sides {
	return Sides{Legacy: count(n[ToLegacy]), Candidate: count(n[ToCandidate])}
}

func count(n int64) uint64 { return uint64(max(0, n)) }

// parts is the number of parts of a window. They expire one at a time.
const parts = 10

// window has the numbers of the recent past.
type window map[part]Numbers

// part is a part of a window with a length. Parts of another length do not count.
type part struct {
	length time.Duration
	index  int64 // counted from the epoch
}

// add adds n, and returns the numbers within length.
func (w window) add(now time.Time, length time.Duration, n Numbers) (sum Numbers) {
	latest := part{length: length, index: now.UnixNano() / max(1, int64(length)/parts)}
	maps.DeleteFunc(w, func(p part, _ Numbers) bool { return p.length != length || p.index <= latest.index-parts })
	w[latest] = w[latest].plus(n)
	for _, counted := range w {
		sum = sum.plus(counted)
	}
	return sum
}
