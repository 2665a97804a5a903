package compare

import (
	"slices"
	"strconv"

	"github.com/calfacade/calfacade/mapping"
)

// maxUnlisted is the maximum number of items of a page that are read because only the
// candidate's has them.
const maxUnlisted = 20

// Reading returns a comparer that leaves out of pages of lists what only the candidate lists, as
// [Known.Unlisted] has it. read returns the reference's response to a read of an item, nil for none.
//
// A page proves little of its list. Items that the others have moved to the candidate's next page are
// left out of the reference's, and the candidate's total may be larger by the number of items or more.
// Items that an earlier page has moved to this one are differences.
func (c *Comparer) Reading(read func(id string) []byte) *Comparer {
	reading := *c
	reading.read = read
	return &reading
}

// unlisted removes what only the candidate lists from two pages of a list.
func (w *walker) unlisted(endpoint string, want, got *node) {
	k := w.rules.KnownExtra(endpoint)
	reference, candidate := want.member(w.resource), got.member(w.resource)
	if k == nil || w.rules.read == nil || w.ofOne || reference == nil || candidate == nil || !haveIDs(reference) || !haveIDs(candidate) {
		return
	}
	idOf := func(item *node) string { return string(item.member(idName).raw) }
	listed := map[string]bool{}
	for i := range reference.inner {
		listed[idOf(&reference.inner[i])] = true
	}
	d, read := Difference{Path: w.resource + elements, Kind: Extra, Known: k.Name}, 0
	rest := slices.DeleteFunc(slices.Clone(candidate.inner), func(item node) bool {
		id := idOf(&item)
		if listed[id] || read == maxUnlisted {
			return false
		}
		read++
		body := w.rules.read(id)
		if body == nil || !k.Unlisted[endpoint](body) {
			return false
		}
		d.Item, d.Got, d.Times = id, id, d.Times+1
		return true
	})
	if d.Times == 0 || total(got)-total(want) < d.Times {
		return
	}
	if moved := min(len(reference.inner)-len(rest), d.Times); moved > 0 {
		reference.inner = reference.inner[:len(reference.inner)-moved]
	}
	candidate.inner = rest
	w.known = append(w.known, found{Difference: d})
	got.inner = slices.DeleteFunc(got.inner, func(member node) bool { return member.name == mapping.NextName && want.member(member.name) == nil })
	for _, name := range []string{mapping.TotalName, mapping.TotalPagesName} {
		if a, b := want.member(name), got.member(name); a != nil && b != nil {
			*b = *a
		}
	}
}

func total(page *node) int {
	n := 0
	if member := page.member(mapping.TotalName); member != nil {
		n, _ = strconv.Atoi(string(member.raw))
	}
	return n
}
