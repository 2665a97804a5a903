package compare

import "github.com/go-json-experiment/json/jsontext"

// Kind is the way in which two documents differ.
type Kind string

// The kinds.
const (
	Status  Kind = "status"  // of the response; the bodies are not compared then
	Missing Kind = "missing" // only the reference has the value
	Extra   Kind = "extra"   // only the candidate has the value
	Type    Kind = "type"    // another JSON type
	Value   Kind = "value"   // another value of the same type
	Order   Kind = "order"   // a list with its items in another order
)

// Known is a kind of difference that is expected of a candidate. A Known is as narrow as possible: other
// differences in the same members are not known.
type Known struct {
	Name string // short and unique
	Why  string // a sentence for people

	Members []string // as in [Rules]
	Kinds   []Kind

	// If reports whether a difference in such a member is a known one; nil accepts all of the Kinds.
	If func(Pair) bool

	// Statuses are the statuses of both, with the codes of errors, that a known difference of the
	// status has: {"404 rest-event-not-found", "403 rest_forbidden"}.
	Statuses  [][2]string
	Endpoints []string // of the Statuses; nil for all

	// Unlisted are the endpoints of lists that, of the candidate, have items that the reference
	// does not list, and functions that recognize such an item by the reference's response to a read of the item.
	Unlisted map[string]func(item []byte) bool
}

// Pair are the two values of a difference.
type Pair struct {
	Want, Got Scalar

	// Beside returns the members with that name of the innermost item that the values are in, or of the
	// documents.
	Beside func(name string) Pair
}

// Scalar is a value in one form for all values that are the same by the rules: a string without quotes,
// the JSON of a number, a boolean or null, and "" for an object or a list.
type Scalar struct {
	Kind jsontext.Kind // 0: there is no value
	Text string
}
