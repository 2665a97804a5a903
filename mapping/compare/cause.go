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
	case s.at == nil && p.resource != "" && s.listed != "": // an item of a list
		return Cause{Resource: p.resource, ID: s.listed}
	case s.at == nil:
		return Cause{Resource: w.resource, Member: written(p.steps)}
	case p.idOf != nil && p.idOf != s.at: // another item in the place of one
		p = p.idOf
	}
	return Cause{Resource: s.at.resource, ID: s.id, Member: written(p.steps[len(s.at.steps):])}
}

// seen is a difference in the responses of a step.
type seen struct {
	*Step
	*Response
	Difference
}

// assign completes the causes of the differences of a step: only the call has the id of an item without
// one in its document. An item that cannot be read by its slug, because it has another one, shows the
// difference of the slug.
func assign(all []seen) {
	var slug *Difference
	for i := range all {
		s := &all[i]
		c := &all[i].Cause
		if c.ID == "" && c.Resource == s.Resource {
			c.ID = s.ID
		}
		if c.Member == mapping.SlugParam.Name {
			slug = &s.Difference
		}
	}
	for i := range all {
		if s := &all[i]; slug != nil && s.Kind == Status && strings.HasSuffix(s.Endpoint, bySlug) {
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
	return s.at != nil && slices.ContainsFunc(p.repeats, func(name string) bool {
		a := s.both[0].member(name)
		b := s.both[1].member(name)
		at := s.at.at(name)
		if at.is(ignored) || w.rules.same(a, b, at) || w.knownAs(at, kindOf(a, b), a, b, s) != nil {
			return false
		}
		own := len(p.steps) == len(s.at.steps)+1
		return !own || kindOf(a, b) == kind
	})
}
