package compare

import (
	"bytes"
	"hash/maphash"
)

// walker goes through two documents at once.
type walker struct {
	rules       *Comparer
	resource    string // of the documents
	differences []Difference
	repeated    []Difference // see repeats
	knownCounts map[string]int
}

// scope is the innermost item that the walker is in.
type scope struct {
	listed string    // the id of the innermost item of a list
	item   *location // the innermost item of the table; nil outside of items
	id     string    // of item
	pair   [2]*node  // item in both documents; outside of items the documents
}

// report adds a difference of the values a and b at a location; one of them is nil if only one document
// has a value there.
func (w *walker) report(p *location, kind Kind, a, b *node, s scope) {
	if p.has(ignored) || w.rules.entries && s.item == nil {
		return
	}
	list := &w.differences
	if w.repeats(p, kind, s) {
		list = &w.repeated
	}
	if k := w.knownAs(p, kind, a, b, s); k != nil {
		w.count(k, 1)
	} else if len(*list) < MaxDifferences {
		d := Difference{Path: pathText(p.steps), Kind: kind, Item: s.listed,
			Values: maphash.Comparable(seed, [2]Scalar{w.rules.scalar(a), w.rules.scalar(b)})}
		d.Want, d.Got = texts(kind, p, a, b)
		d.Cause = w.cause(p, s)
		*list = append(*list, d)
	}
}

// compare compares two values at a location; nil is none. Values that are spelled alike are equal by all
// rules: of documents that hardly differ, little is looked at twice.
func (w *walker) compare(p *location, a, b *node, s scope) {
	switch {
	case a == nil || b == nil:
		w.report(p, kindOf(a, b), a, b, s)
	case p.has(ignored) || bytes.Equal(a.raw, b.raw):
	case a.kind == '{' && b.kind == '{':
		w.object(p, a, b, s)
	case a.kind == '[' && b.kind == '[':
		w.list(p, a, b, s)
	case w.rules.equal(a, b, p):
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
		otherID := b.member(idName)
		place := p.child(idName)
		if s.item != nil && id != nil && otherID != nil && !place.has(ignored) && !w.rules.equal(id, otherID, place) {
			w.report(place, kindOf(id, otherID), id, otherID, s)
			return
		}
		s = scope{listed: s.listed, item: p, pair: [2]*node{a, b}}
		if id != nil {
			s.id = show(id, place)
		}
	}
	unmatched := b.members()
	for i := range a.inner {
		member := &a.inner[i]
		counterpart := unmatched[member.name]
		delete(unmatched, member.name)
		if counterpart == nil || !bytes.Equal(member.raw, counterpart.raw) {
			w.compare(p.child(member.name), member, counterpart, s)
		}
	}
	for i := range b.inner {
		if name := b.inner[i].name; unmatched[name] != nil {
			w.compare(p.child(name), nil, unmatched[name], s)
		}
	}
}
