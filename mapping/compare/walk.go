package compare

import (
	"bytes"
	"hash/maphash"
)

// walker goes through two documents at once.
type walker struct {
	rules    *Comparer
	resource string // of the documents
	found    []Difference
	repeated []Difference // see repeats
	known    map[string]int
}

// scope is the innermost item that the walker is in.
type scope struct {
	listed string    // the id of the innermost item of a list
	at     *location // the innermost item of the table; nil outside of items
	id     string    // of the item at
	both   [2]*node  // the item at in both documents; outside of items the documents
}

// report adds a difference of the values a and b at a location; one of them is nil if only one document
// has a value there.
func (w *walker) report(p *location, kind Kind, a, b *node, s scope) {
	if p.is(ignored) || w.rules.entries && s.at == nil {
		return
	}
	to := &w.found
	if w.repeats(p, kind, s) {
		to = &w.repeated
	}
	if k := w.knownAs(p, kind, a, b, s); k != nil {
		w.count(k, 1)
	} else if len(*to) < MaxDifferences {
		d := Difference{Path: written(p.steps), Kind: kind, Item: s.listed,
			Values: maphash.Comparable(seed, [2]Scalar{w.rules.scalar(a), w.rules.scalar(b)})}
		d.Want, d.Got = texts(kind, p, a, b)
		d.Cause = w.cause(p, s)
		*to = append(*to, d)
	}
}

// compare compares two values at a location; nil is none. Values that are spelled alike are equal by all
// rules: of documents that hardly differ, little is looked at twice.
func (w *walker) compare(p *location, a, b *node, s scope) {
	switch {
	case a == nil || b == nil:
		w.report(p, kindOf(a, b), a, b, s)
	case p.is(ignored) || bytes.Equal(a.raw, b.raw):
	case a.kind == '{' && b.kind == '{':
		w.object(p, a, b, s)
	case a.kind == '[' && b.kind == '[':
		w.list(p, a, b, s)
	case w.rules.same(a, b, p):
	default:
		w.report(p, kindOf(a, b), a, b, s)
	}
}

// kindOf returns in what way two values differ; nil is none.
func kindOf(a, b *node) Kind {
	switch {
	case b == nil:
		return Missing
	case a == nil:
		return Extra
	case typeOf(a.kind) != typeOf(b.kind):
		return Type
	}
	return Value
}

// object compares members by name. Another item in the place of one is one difference, of their ids.
func (w *walker) object(p *location, a, b *node, s scope) {
	if p.resource != "" {
		id := a.member(idName)
		other := b.member(idName)
		at := p.at(idName)
		if s.at != nil && id != nil && other != nil && !at.is(ignored) && !w.rules.same(id, other, at) {
			w.report(at, kindOf(id, other), id, other, s)
			return
		}
		s = scope{listed: s.listed, at: p, both: [2]*node{a, b}}
		if id != nil {
			s.id = show(id, at)
		}
	}
	rest := b.members()
	for i := range a.inner {
		one := &a.inner[i]
		other := rest[one.name]
		delete(rest, one.name)
		if other == nil || !bytes.Equal(one.raw, other.raw) {
			w.compare(p.at(one.name), one, other, s)
		}
	}
	for i := range b.inner {
		if name := b.inner[i].name; rest[name] != nil {
			w.compare(p.at(name), nil, rest[name], s)
		}
	}
}
