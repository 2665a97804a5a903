package compare

import (
	"bytes"
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/mapping"
)

// list matches the elements of two lists. Elements that only one list has are paired
// with each other in order if they have no ids; so one change of one is one
// difference, and one more at the front is, too.
func (w *walker) list(p *location, a, b *node, s scope) {
	inside := p.at(elements)
	if inside.is(ignored) {
		return
	}
	ids := !inside.at(idName).is(ignored) && haveIDs(a) && haveIDs(b)
	at := make(map[uint64][]int, len(b.inner)) // in the order of b
	for j := range b.inner {
		k := w.rules.key(&b.inner[j], inside, ids)
		at[k] = append(at[k], j)
	}
	var missing, extra []*node
	last := -1
	lastTimed := -1
	moved := false
	timed := true
	matched := make([]bool, len(b.inner))
	for i := range a.inner {
		one := &a.inner[i]
		k := w.rules.key(one, inside, ids)
		if len(at[k]) == 0 {
			missing = append(missing, one)
			continue
		}
		j := at[k][0]
		at[k] = at[k][1:]
		other := &b.inner[j]
		moved = moved || j < last
		last, matched[j] = j, true
		if !ids {
			continue
		}
		w.compare(inside, one, other, s.of(one, inside))
		// An item at another time has another place because of that: the time is the difference.
		if !w.retimed(inside, one, other) {
			timed = timed && j > lastTimed
			lastTimed = j
		}
	}
	if moved && !p.is(set) && !(ids && timed) {
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
		if at := &inside.shape.Attributes[i]; at.Orders() && !w.rules.same(a.member(at.Name), b.member(at.Name), inside.at(at.Name)) {
			return true
		}
	}
	return false
}

// unmatched reports the elements that are in one list alone.
func (w *walker) unmatched(inside *location, missing, extra []*node, ids bool, s scope) {
	at := s.of
	if !ids {
		at = func(*node, *location) scope { return s }
		for ; len(missing) > 0 && len(extra) > 0; missing, extra = missing[1:], extra[1:] {
			w.compare(inside, missing[0], extra[0], s)
		}
	}
	for _, one := range missing {
		w.compare(inside, one, nil, at(one, inside))
	}
	for _, one := range extra {
		w.compare(inside, nil, one, at(one, inside))
	}
}

// haveIDs reports whether all elements are items with an id.
func haveIDs(list *node) bool {
	for i := range list.inner {
		if id := list.inner[i].member(idName); id == nil || id.kind != '"' && id.kind != '0' {
			return false
		}
	}
	return true
}

// key returns the hash by which an element of a list is matched: of its id or of all of it.
func (c *Comparer) key(one *node, inside *location, ids bool) uint64 {
	if ids {
		one = one.member(idName)
		inside = inside.at(idName)
	}
	return c.hash(one, inside)
}

// of returns the scope of an item of a list.
func (s scope) of(item *node, inside *location) scope {
	s.listed = label(item, inside)
	return s
}

// Reading returns a comparer that leaves out of lists what only the candidate lists, as
// [Known.Unlisted] has it. read makes a call for an item at the reference, once for each of most items.
//
// A page proves little of its list. Items that the others have moved to the candidate's next page are
// left out of the reference's, and the candidate's total may be larger by the number of items or more.
// Items that an earlier page has moved to this one are differences.
func (c *Comparer) Reading(most int, read func(*mapping.Call) (Document, error)) *Comparer {
	reading := *c
	items := map[string][]byte{}
	reading.read = func(resource, id string) []byte {
		if _, done := items[id]; !done && len(items) < most {
			d, err := read(&mapping.Call{Endpoint: mapping.RowOf(resource, mapping.Read, false), Method: http.MethodGet, Item: id})
			if err != nil || d.Status != http.StatusOK {
				d.Body = nil
			}
			items[id] = d.Body
		}
		return items[id]
	}
	return &reading
}

// Entries returns a comparer of two pages of a list that compares the items that both have, and
// neither their order nor counts: the other items may be on other pages.
func (c *Comparer) Entries() *Comparer {
	entries := *c
	entries.entries = true
	return &entries
}

// unlisted removes what only the candidate lists from two pages of a list.
func (w *walker) unlisted(endpoint string, want, got *node) {
	k := w.rules.known(func(k *Known) bool { return k.Unlisted[endpoint] != nil })
	reference := want.member(w.resource)
	candidate := got.member(w.resource)
	if k == nil || w.rules.read == nil || reference == nil || candidate == nil || !haveIDs(reference) || !haveIDs(candidate) {
		return
	}
	idOf := func(item *node) string { return item.member(idName).text() }
	listed := map[string]bool{}
	for i := range reference.inner {
		listed[idOf(&reference.inner[i])] = true
	}
	rest := slices.DeleteFunc(slices.Clone(candidate.inner), func(item node) bool {
		id := idOf(&item)
		if listed[id] {
			return false
		}
		body := w.rules.read(w.resource, id)
		return body != nil && k.Unlisted[endpoint](body)
	})
	more := len(candidate.inner) - len(rest)
	a := want.member(mapping.TotalName)
	b := got.member(mapping.TotalName)
	if more == 0 || a != nil && b != nil && mapping.ParseCount(b.text())-mapping.ParseCount(a.text()) < more {
		return
	}
	if moved := min(len(reference.inner)-len(rest), more); moved > 0 && got.member(mapping.NextName) != nil {
		reference.inner = reference.inner[:len(reference.inner)-moved]
	}
	candidate.inner = rest
	w.count(k, more)
	for _, list := range []*node{want, got} {
		list.inner = slices.DeleteFunc(list.inner, func(member node) bool {
			return slices.Contains([]string{mapping.TotalName, mapping.TotalPagesName, mapping.NextName}, member.name)
		})
	}
}
