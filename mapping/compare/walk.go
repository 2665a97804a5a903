package compare

import "bytes"

// compare compares two values at a location; a nil value is absent. Values with the same spelling are equal by
// all rules: in similar documents, compare looks at few values twice.
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

// object compares members by name. Another item at the same place is one difference, of the ids.
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
		name := b.inner[i].name
		if unmatched[name] != nil {
			w.compare(p.child(name), nil, unmatched[name], s)
		}
	}
}

// list matches the elements of two lists. Elements that only one list has are paired with each other in order
// if they have no ids; so a change of one element is one difference, and so is a new element at the front.
func (w *walker) list(p *location, a, b *node, s scope) {
	inside := p.child(elements)
	if inside.has(ignored) {
		return
	}
	ids := !inside.child(idName).has(ignored) && haveIDs(a) && haveIDs(b)
	positions := make(map[uint64][]int, len(b.inner)) // in the order of b
	for j := range b.inner {
		k := w.rules.key(&b.inner[j], inside, ids)
		positions[k] = append(positions[k], j)
	}
	var missing, extra []*node
	last := -1
	lastTimed := -1
	moved := false
	timed := true
	matched := make([]bool, len(b.inner))
	for i := range a.inner {
		element := &a.inner[i]
		k := w.rules.key(element, inside, ids)
		if len(positions[k]) == 0 {
			missing = append(missing, element)
			continue
		}
		j := positions[k][0]
		positions[k] = positions[k][1:]
		match := &b.inner[j]
		moved = moved || j < last
		last, matched[j] = j, true
		if !ids {
			continue
		}
		w.compare(inside, element, match, s.itemScope(element, inside))
		// An item at another time has another place for that reason: only the time is the difference.
		if !w.retimed(inside, element, match) {
			timed = timed && j > lastTimed
			lastTimed = j
		}
	}
	if moved && !p.has(set) && !(ids && timed) {
		w.report(p, Order, a, b, s)
	}
	for j := range b.inner {
		if !matched[j] {
			extra = append(extra, &b.inner[j])
		}
	}
	w.unmatched(inside, missing, extra, ids, s)
}

// retimed reports whether an item is at another time.
func (w *walker) retimed(inside *location, a, b *node) bool {
	if inside.shape == nil || bytes.Equal(a.raw, b.raw) {
		return false
	}
	for i := range inside.shape.Attributes {
		attribute := &inside.shape.Attributes[i]
		if !attribute.Orders() {
			continue
		}
		if !w.rules.equal(a.member(attribute.Name), b.member(attribute.Name), inside.child(attribute.Name)) {
			return true
		}
	}
	return false
}

// unmatched reports the elements that are in one list alone.
func (w *walker) unmatched(inside *location, missing, extra []*node, ids bool, s scope) {
	scopeOf := s.itemScope
	if !ids {
		scopeOf = func(*node, *location) scope { return s }
		for ; len(missing) > 0 && len(extra) > 0; missing, extra = missing[1:], extra[1:] {
			w.compare(inside, missing[0], extra[0], s)
		}
	}
	for _, element := range missing {
		w.compare(inside, element, nil, scopeOf(element, inside))
	}
	for _, element := range extra {
		w.compare(inside, nil, element, scopeOf(element, inside))
	}
}

// haveIDs reports whether all elements are items with an id.
func haveIDs(list *node) bool {
	for i := range list.inner {
		id := list.inner[i].member(idName)
		if id == nil || id.kind != '"' && id.kind != '0' {
			return false
		}
	}
	return true
}

// key returns the hash by which an element of a list is matched: of the id or of the whole element.
func (c *Comparer) key(element *node, inside *location, ids bool) uint64 {
	if ids {
		element = element.member(idName)
		inside = inside.child(idName)
	}
	return c.hash(element, inside)
}

// itemScope returns the scope of an item of a list.
func (s scope) itemScope(item *node, inside *location) scope {
	s.listed = label(item, inside)
	return s
}
