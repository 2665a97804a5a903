package staging

// Certainty is how well an instance knows what all instances have decided.
type Certainty int

// The certainties.
const (
	Current Certainty = iota // it knows every acknowledged decision
	Held                     // Redis does not respond, but a later decision still waits for the lease of this instance
	Unknown                  // the lease has expired, and others may have decided otherwise
)

func (c Certainty) String() string { return [...]string{"current", "held", "unknown"}[c] }
