package compare

import (
	"fmt"
	"slices"
)

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
func (c *Comparer) knownStatus(endpoint string, d Difference) *Known {
	i := slices.IndexFunc(c.rules.Known, func(k Known) bool {
		return slices.Contains(k.Statuses, [2]string{d.Want, d.Got}) && (k.Endpoints == nil || slices.Contains(k.Endpoints, endpoint))
	})
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
