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
		// An item at another time has another place because of that: the time is the difference.
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
		if attribute := &inside.shape.Attributes[i]; attribute.Orders() && !w.rules.equal(a.member(attribute.Name), b.member(attribute.Name), inside.child(attribute.Name)) {
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
		if id := list.inner[i].member(idName); id == nil || id.kind != '"' && id.kind != '0' {
			return false
		}
	}
	return true
}

// key returns the hash by which an element of a list is matched: of its id or of all of it.
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

// Reading returns a comparer that leaves out of lists what only the candidate lists, as
// [Known.Unlisted] has it. fetch makes a call for an item at the reference, once for each of limit items.
//
// A page proves little of its list. Items that the others have moved to the candidate's next page are
// left out of the reference's, and the candidate's total may be larger by the number of items or more.
// Items that an earlier page has moved to this one are differences.
func (c *Comparer) Reading(limit int, fetch func(*mapping.Call) (Document, error)) *Comparer {
	reading := *c
	items := map[string][]byte{}
	reading.fetchItem = func(resource, id string) []byte {
		if _, done := items[id]; !done && len(items) < limit {
			d, err := fetch(&mapping.Call{Endpoint: mapping.RowOf(resource, mapping.Read, false), Method: http.MethodGet, Item: id})
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
func (w *walker) unlisted(endpoint string, wantList, gotList *node) {
	k := w.rules.findKnown(func(k *Known) bool { return k.Unlisted[endpoint] != nil })
	reference := wantList.member(w.resource)
	candidate := gotList.member(w.resource)
	if k == nil || w.rules.fetchItem == nil || reference == nil || candidate == nil || !haveIDs(reference) || !haveIDs(candidate) {
		return
	}
	idOf := func(item *node) string { return item.member(idName).text() }
	listed := map[string]bool{}
	for i := range reference.inner {
		listed[idOf(&reference.inner[i])] = true
	}
	remaining := slices.DeleteFunc(slices.Clone(candidate.inner), func(item node) bool {
		id := idOf(&item)
		if listed[id] {
			return false
		}
		body := w.rules.fetchItem(w.resource, id)
		return body != nil && k.Unlisted[endpoint](body)
	})
	surplus := len(candidate.inner) - len(remaining)
	a := wantList.member(mapping.TotalName)
	b := gotList.member(mapping.TotalName)
	if surplus == 0 || a != nil && b != nil && mapping.ParseCount(b.text())-mapping.ParseCount(a.text()) < surplus {
		return
	}
	if moved := min(len(reference.inner)-len(remaining), surplus); moved > 0 && gotList.member(mapping.NextName) != nil {
		reference.inner = reference.inner[:len(reference.inner)-moved]
	}
	candidate.inner = remaining
	w.count(k, surplus)
	for _, list := range []*node{wantList, gotList} {
		list.inner = slices.DeleteFunc(list.inner, func(member node) bool {
			return slices.Contains([]string{mapping.TotalName, mapping.TotalPagesName, mapping.NextName}, member.name)
		})
	}
}
