package compare

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

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
	Statuses [][2]string

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

// compileKnown adds the paths of known differences.
func (c *Comparer) compileKnown(all []Known) (faults []error) {
	c.rules.Known = slices.Clone(all)
	for i := range c.rules.Known {
		k := &c.rules.Known[i]
		for _, s := range k.Paths {
			endpoint, p, err := parsePath(s)
			if err != nil {
				faults = append(faults, fmt.Errorf("known: %s: path %q: %w", k.Name, s, err))
				continue
			}
			p.known = k
			c.paths[endpoint] = append(c.paths[endpoint], p)
		}
	}
	return faults
}

// KnownExtra returns the known difference of lists of the endpoint that have more items than
// the reference's; nil for none.
func (c *Comparer) KnownExtra(endpoint string) *Known {
	i := slices.IndexFunc(c.rules.Known, func(k Known) bool { return k.Unlisted[endpoint] != nil })
	if i < 0 {
		return nil
	}
	return &c.rules.Known[i]
}

// withoutKnown returns a comparer for two documents of one site.
func (c *Comparer) withoutKnown() *Comparer {
	if len(c.rules.Known) == 0 {
		return c
	}
	plain := *c
	plain.rules.Known, plain.paths = nil, map[string][]path{}
	for endpoint, paths := range c.paths {
		plain.paths[endpoint] = slices.DeleteFunc(slices.Clone(paths), func(p path) bool { return p.known != nil })
	}
	return &plain
}

// knownStatus returns what a difference of the statuses is known as; nil for none.
func (c *Comparer) knownStatus(d Difference) *Known {
	i := slices.IndexFunc(c.rules.Known, func(k Known) bool { return slices.Contains(k.Statuses, [2]string{d.Want, d.Got}) })
	if i < 0 {
		return nil
	}
	return &c.rules.Known[i]
}

// knownAs returns what a difference is known as; nil for none.
func (w *walker) knownAs(p *location, kind Kind, a, b int, s scope) *Known {
	for _, k := range p.known {
		if slices.Contains(k.Kinds, kind) && (k.If == nil || k.If(w.pair(a, b, s))) {
			return k
		}
	}
	return nil
}

func (w *walker) pair(a, b int, s scope) Pair {
	return Pair{w.scalar(w.want, a), w.scalar(w.got, b), func(name string) Pair {
		return w.pair(w.want.value(s.both[0], name), w.got.value(s.both[1], name), s)
	}}
}

// scalar returns the value with an index, or that of none.
func (w *walker) scalar(t *tree, i int) Scalar {
	if i == none {
		return Scalar{}
	}
	switch kind := t.values[i].kind; kind {
	case '{', '[':
		return Scalar{Kind: kind}
	case '"':
		return Scalar{kind, w.rules.normalText(string(t.text(i)))}
	default:
		return Scalar{kind, string(t.raw(i))}
	}
}

// value returns the index of a member of an object, or none.
func (t *tree) value(object int, name string) int {
	if i, ok := t.member(object, name); ok {
		return i
	}
	return none
}

// count counts a known difference; the first of its kind is shown.
func (w *walker) count(k *Known, f found) {
	i := slices.IndexFunc(w.known, func(f found) bool { return f.Known == k.Name })
	if i < 0 {
		f.Known = k.Name
		i, w.known = len(w.known), append(w.known, f)
	}
	w.known[i].Times++
}

// Unknown returns the differences of a document without the known ones, which follow them.
func Unknown(differences []Difference) []Difference {
	i := slices.IndexFunc(differences, func(d Difference) bool { return d.Known != "" })
	if i < 0 {
		return differences
	}
	return differences[:i]
}
