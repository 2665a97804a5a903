package staging

// Certainty is how well an instance knows what all instances have decided.
type Certainty int

// The certainties.
const (
	Current Certainty = iota // every decision that all have acknowledged
	Held                     // not now, but so recently that no decision can count on another one
	Unknown                  // others may have decided otherwise
)

func (c Certainty) String() string { return [...]string{"current", "held", "unknown"}[c] }
