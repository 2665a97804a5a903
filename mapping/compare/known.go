package compare

import "github.com/go-json-experiment/json/jsontext"

// Known is a kind of difference that is expected of a candidate. It is as narrow as it can be:
// what else differs at its paths is no known difference.
type Known struct {
	Name string // short, and unlike that of others
	Why  string // a sentence for people

	Paths []string // as those of [Rules]
	Kinds []Kind

	// If reports whether a difference at such a path is a known one; nil accepts all of the Kinds.
	If func(Pair) bool

	// Statuses are the statuses of both, with the codes of errors, that a known difference of the
	// status has: {"404 rest-event-not-found", "403 rest_forbidden"}.
	Statuses  [][2]string
	Endpoints []string // of the Statuses; nil for all

	// Unlisted are the endpoints of lists that, of the candidate, have items that the reference
	// does not list, and what recognizes one by the reference's response to a read of it.
	Unlisted map[string]func(item []byte) bool
}

// Pair are the two values of a difference.
type Pair struct {
	Want, Got Scalar
	beside    func(name string) Pair
}

// Beside returns the members with that name of the innermost item of a list that the values
// are in, or of the documents.
func (p Pair) Beside(name string) Pair { return p.beside(name) }

// Scalar is a value: a string without quotes and with what the rules make of hosts, the JSON of
// a number, a boolean or null, and "" for an object or a list.
type Scalar struct {
	Kind jsontext.Kind // 0: there is no value
	Text string
}
