package compare

import (
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// Cause names the subject of a difference, wherever it shows. A name that differs has one cause in the
// list of venues, in the venue, and in each event at the venue.
type Cause struct {
	Resource string `json:"resource,omitempty"` // of the item or list, such as "venues"
	ID       string `json:"id,omitempty"`       // of the item; "" for a list, and if only the call determines it
	Member   string `json:"member,omitempty"`   // path in the item, such as "image.url"; "" for the whole item
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

// occurrence is a difference in the responses of a step.
type occurrence struct {
	*Step
	*Response
	Difference
}

// assign completes the causes of the differences of a step: only the call has the id of an item without
// one in its document. An item that cannot be read by its slug, because it has another one, shows the
// difference of the slug.
func assign(occurrences []occurrence) {
	var slug *Difference
	for i := range occurrences {
		s := &occurrences[i]
		c := &occurrences[i].Cause
		if c.ID == "" && c.Resource == s.Resource {
			c.ID = s.ID
		}
		if c.Member == mapping.SlugParam.Name {
			slug = &s.Difference
		}
	}
	for i := range occurrences {
		s := &occurrences[i]
		if slug != nil && s.Kind == Status && strings.HasSuffix(s.Endpoint, bySlug) {
			s.Difference = *slug
		}
	}
}

// bySlug ends the names of endpoints that read by slug.
const bySlug = "_by_slug"

// repeats reports whether a difference at a location of an item follows from a reported one of the same
// item, such as the text of a date from the date. A member of the item itself may differ for another
// reason if it differs in another way.
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
