package compare

import (
	"hash/maphash"
	"slices"
)

// Difference is one thing in which the candidate differs.
type Difference struct {
	Path string `json:"path"`           // such as "events[].venue.city"; "" for the whole document
	Kind Kind   `json:"kind"`           // in what way
	Item string `json:"item,omitempty"` // id of the innermost item of a list here; "" outside of lists
	Want string `json:"want,omitempty"` // the reference's value, for people; see [MaxShown]
	Got  string `json:"got,omitempty"`  // the candidate's value, likewise

	Values uint64 `json:"-"` // hash of both values, and of secrets in them, by a seed of this process
	Cause  Cause  `json:"cause,omitzero"`
}

// Cause names the subject of a difference, independent of the response. A name that differs has one cause in the
// list of venues, in the venue, and in each event at the venue.
type Cause struct {
	Resource string `json:"resource,omitempty"` // of the item or list, such as "venues"
	ID       string `json:"id,omitempty"`       // of the item; "" for a list, and if only the call determines it
	Member   string `json:"member,omitempty"`   // path in the item, such as "image.url"; "" for the whole item
}

// MaxDifferences is the maximum number of reported differences of a document. The limit is for documents that
// have nothing in common, which one look shows.
const MaxDifferences = 1000

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
	k := w.knownAs(p, kind, a, b, s)
	if k != nil {
		w.count(k, 1)
	} else if len(*list) < MaxDifferences {
		d := Difference{Path: pathText(p.steps), Kind: kind, Item: s.listed,
			Values: maphash.Comparable(seed, [2]Scalar{w.rules.scalar(a), w.rules.scalar(b)})}
		d.Want, d.Got = texts(kind, p, a, b)
		d.Cause = w.cause(p, s)
		*list = append(*list, d)
	}
}

// cause returns the cause of a difference at a location.
func (w *walker) cause(p *location, s scope) Cause {
	switch {
	case s.item == nil && p.resource != "" && s.listed != "": // an item of a list
		return Cause{Resource: p.resource, ID: s.listed}
	case s.item == nil:
		return Cause{Resource: w.resource, Member: pathText(p.steps)}
	case p.idOf != nil && p.idOf != s.item: // another item in the place of one
		p = p.idOf
	}
	return Cause{Resource: s.item.resource, ID: s.id, Member: pathText(p.steps[len(s.item.steps):])}
}

// repeats reports whether a difference at a location of an item follows from a reported one of the same item,
// such as the text of a date from the date. A member of the item may differ for another reason if the kind of
// the difference is another one.
func (w *walker) repeats(p *location, kind Kind, s scope) bool {
	return s.item != nil && slices.ContainsFunc(p.repeats, func(name string) bool {
		a := s.pair[0].member(name)
		b := s.pair[1].member(name)
		place := s.item.child(name)
		if place.has(ignored) || w.rules.equal(a, b, place) || w.knownAs(place, kindOf(a, b), a, b, s) != nil {
			return false
		}
		isOwn := len(p.steps) == len(s.item.steps)+1
		return !isOwn || kindOf(a, b) == kind
	})
}

// knownAs returns the known difference that a difference matches; nil without a match.
func (w *walker) knownAs(p *location, kind Kind, a, b *node, s scope) *Known {
	return w.rules.findKnown(func(k *Known) bool {
		return p.matches(k.Members) && slices.Contains(k.Kinds, kind) && (k.If == nil || k.If(w.pair(a, b, s)))
	})
}

func (w *walker) pair(a, b *node, s scope) Pair {
	return Pair{Want: w.rules.scalar(a), Got: w.rules.scalar(b), Beside: func(name string) Pair {
		return w.pair(s.pair[0].member(name), s.pair[1].member(name), s)
	}}
}

// count counts known differences.
func (w *walker) count(k *Known, n int) {
	if w.knownCounts == nil {
		w.knownCounts = map[string]int{}
	}
	w.knownCounts[k.Name] += n
}

// kindOf returns the kind of the difference of two values; a nil value is absent.
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
