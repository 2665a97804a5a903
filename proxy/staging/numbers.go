package staging

// Number is a number that is counted of a cell.
type Number int

// The numbers. NumberNames has their names.
const (
	Calls     Number = iota // on the candidate, for requests of clients
	Failures                // of Calls
	Compared                // responses, with those of the legacy
	Different               // of Compared
	ToLegacy                // requests of clients
	ToCandidate
	Writes // that the candidate has accepted
	kinds
)

// NumberNames are the names of the numbers.
var NumberNames = [kinds]string{"calls", "failures", "compared", "different", "legacy", "candidate", "writes"}

// Numbers has a value of each number, or by how much it grew.
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
	Compared  uint64 `json:"compared"`  // responses, with those of the legacy
	Different uint64 `json:"different"` // of Compared
}

func (n Numbers) counts() Counts {
	return Counts{count(n[Calls]), count(n[Failures]), count(n[Compared]), count(n[Different])}
}

// Sides are how many went to each backend.
type Sides struct {
	Legacy    uint64 `json:"legacy"`
	Candidate uint64 `json:"candidate"`
}

// All returns the sum.
func (s Sides) All() uint64 { return s.Legacy + s.Candidate }

func (n Numbers) sides() Sides { return Sides{count(n[ToLegacy]), count(n[ToCandidate])} }

func count(n int64) uint64 { return uint64(max(0, n)) }
