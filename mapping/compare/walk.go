package compare

import (
	"bytes"
	"hash/maphash"
)

// walker goes through two documents at once.
type walker struct {
	rules    *Comparer
	ofOne    bool   // both documents are of one site: no difference is known
	resource string // of the documents; "" if the table does not determine it
	found    []found
	known    []found // one of each kind
}

// scope is the position of the walker: the item, and the exact path.
type scope struct {
	item  string
	at    uint64
	both  [2]*node // the innermost item of a list in both documents; without one the documents
	owner owner
}

// in returns the scope of the member with a name, or of the item with a key.
func (s scope) in(key string) scope {
	s.at = maphash.Comparable(seed, struct {
		at  uint64
		key string
	}{s.at, key})
	return s
}

// report adds a difference of the values a and b at a location; one of them may be nil.
func (w *walker) report(p *location, d Difference, a, b *node, s scope) {
	if p.is(ignored) {
		return
	}
	d.Path, d.Item = p.String(), s.item
	if k := w.knownAs(p, d.Kind, a, b, s); k != nil {
		w.count(k, found{d, s.at})
		return
	}
	if len(w.found) == MaxDifferences {
		return
	}
	if d.Cause == (Cause{}) {
		d.Cause = w.cause(p, d.Kind, a, b, s.owner)
	}
	w.found = append(w.found, found{d, s.at})
}

// compare compares two values at a location. What is spelled alike is equal by all rules: of
// documents that hardly differ, little is looked at twice.
func (w *walker) compare(p *location, a, b *node, s scope) {
	switch {
	case p.is(ignored) || bytes.Equal(a.raw, b.raw):
	case a.kind == '{' && b.kind == '{':
		w.object(p, a, b, s)
	case a.kind == '[' && b.kind == '[':
		w.list(p, a, b, s)
	case w.rules.same(a, b, p):
	case typeOf(a.kind) != typeOf(b.kind):
		w.report(p, Difference{Kind: Type, Want: typed(a, p), Got: typed(b, p)}, a, b, s)
	default:
		want, got := show(a, p), show(b, p)
		if a.isScalar() && b.isScalar() && !p.is(masked) {
			want, got = around(a.text(), b.text())
		}
		w.report(p, Difference{Kind: Value, Want: want, Got: got}, a, b, s)
	}
}

// object compares members by name.
func (w *walker) object(p *location, a, b *node, s scope) {
	s.owner = s.owner.inside(w.rules, p, a, b)
	here, there := a.members(), b.members()
	for i := range a.inner {
		one := &a.inner[i]
		other := there[one.name]
		switch {
		case other == nil:
			w.only(p.at(one.name), Difference{Kind: Missing}, show(one, p.at(one.name)), one, s.in(one.name))
		case !bytes.Equal(one.raw, other.raw):
			w.compare(p.at(one.name), one, other, s.in(one.name))
		}
	}
	for i := range b.inner {
		if one := &b.inner[i]; here[one.name] == nil {
			w.only(p.at(one.name), Difference{Kind: Extra}, show(one, p.at(one.name)), one, s.in(one.name))
		}
	}
}

// only reports a value that one document alone has, which people see as a text.
func (w *walker) only(p *location, d Difference, text string, one *node, s scope) {
	if d.Kind == Missing {
		d.Want = text
		w.report(p, d, one, nil, s)
	} else {
		d.Got = text
		w.report(p, d, nil, one, s)
	}
}
