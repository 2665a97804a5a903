package compare

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Known is a kind of difference that is expected of a candidate. It is as narrow as it can be:
// what else differs in its members is no known difference.
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
	// does not list, and what recognizes one by the reference's response to a read of it.
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

// findKnown returns the first known difference with a property; nil for none.
func (c *Comparer) findKnown(property func(*Known) bool) *Known {
	if i := slices.IndexFunc(c.rules.Known, func(k Known) bool { return property(&k) }); i >= 0 {
		return &c.rules.Known[i]
	}
	return nil
}

// knownAs returns what a difference is known as; nil for none.
func (w *walker) knownAs(p *location, kind Kind, a, b *node, s scope) *Known {
	return w.rules.findKnown(func(k *Known) bool {
		return p.matches(k.Members) && slices.Contains(k.Kinds, kind) && (k.If == nil || k.If(w.pair(a, b, s)))
	})
}

func (w *walker) pair(a, b *node, s scope) Pair {
	return Pair{Want: w.rules.scalar(a), Got: w.rules.scalar(b), Beside: func(name string) Pair {
		return w.pair(s.pair[0].member(name), s.pair[1].member(name), s)
	}}
}

// scalar returns a value; nil is none. Values that are the same by the rules have the same form.
func (c *Comparer) scalar(n *node) Scalar {
	switch {
	case n == nil:
		return Scalar{}
	case n.kind == '"':
		return Scalar{Kind: n.kind, Text: c.withoutHosts(n.text())}
	case n.kind == '0':
		return Scalar{Kind: n.kind, Text: number(n.text())}
	case n.isScalar():
		return Scalar{Kind: n.kind, Text: string(n.raw)}
	}
	return Scalar{Kind: n.kind}
}

// count counts known differences.
func (w *walker) count(k *Known, n int) {
	if w.knownCounts == nil {
		w.knownCounts = map[string]int{}
	}
	w.knownCounts[k.Name] += n
}
