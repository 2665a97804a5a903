package compare

import "bytes"

// report adds a difference of the values a and b at a location.
func (w *walker) report(p *location, d Difference, a, b int, s scope) {
	d.Path, d.Item = p.String(), s.item
	if k := w.knownAs(p, d.Kind, a, b, s); k != nil {
		w.count(k, found{d, s.at})
		return
	}
	if len(w.found) == MaxDifferences {
		return
	}
	if d.Cause == (Cause{}) {
		d.Cause = w.cause(w.resource, p, d.Kind, a, b, s.owner)
	}
	w.found = append(w.found, found{d, s.at})
}

// compare compares two values at a location. What is spelled alike is equal by all
// rules: of documents that hardly differ, little is looked at twice.
func (w *walker) compare(p *location, a, b int, s scope) {
	if p.is(ignored) || bytes.Equal(w.want.raw(a), w.got.raw(b)) {
		return
	}
	x, y := w.want.values[a].kind, w.got.values[b].kind
	switch {
	case x == '{' && y == '{':
		w.object(p, a, b, s)
	case x == '[' && y == '[':
		w.list(p, a, b, s)
	case w.rules.hash(w.want, a, p) == w.rules.hash(w.got, b, p):
	case typeOf(x) != typeOf(y):
		w.report(p, Difference{Kind: Type, Want: typed(w.want, a, p), Got: typed(w.got, b, p)}, a, b, s)
	default:
		want, got := w.showBoth(a, b, p)
		w.report(p, Difference{Kind: Value, Want: want, Got: got}, a, b, s)
	}
}

// object compares members by name. Both documents mostly have the same names in the
// same order, for which nothing has to be looked up.
func (w *walker) object(p *location, a, b int, s scope) {
	s.owner = s.owner.inside(&w.documents, p, a, b)
	var others map[string]int
	both, next, end := uint32(0), b+1, int(w.got.values[b].after)
	for i := range w.want.members(a) {
		name := w.want.text(i)
		j, ok := next+1, next < end && bytes.Equal(name, w.got.text(next))
		if !ok {
			if others == nil {
				others = w.got.names(b)
			}
			j, ok = others[string(name)]
		}
		if !ok {
			w.only(p.at(name), Missing, w.want, i+1, s.in(string(name)))
			continue
		}
		both, next = both+1, int(w.got.values[j].after)
		if !bytes.Equal(w.want.raw(i+1), w.got.raw(j)) {
			w.compare(p.at(name), i+1, j, s.in(string(name)))
		}
	}
	if both < w.got.values[b].count {
		w.extras(p, a, b, s)
	}
}

func (w *walker) extras(p *location, a, b int, s scope) {
	known := w.want.names(a)
	for j := range w.got.members(b) {
		name := w.got.text(j)
		if _, ok := known[string(name)]; !ok {
			w.only(p.at(name), Extra, w.got, j+1, s.in(string(name)))
		}
	}
}

// only reports a value that one document alone has.
func (w *walker) only(p *location, kind Kind, t *tree, i int, s scope) {
	if p.is(ignored) {
		return
	}
	if kind == Missing {
		w.report(p, Difference{Kind: kind, Want: show(t, i, p)}, i, none, s)
	} else {
		w.report(p, Difference{Kind: kind, Got: show(t, i, p)}, none, i, s)
	}
}
