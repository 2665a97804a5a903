package compare

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// Cause names the subject of a difference, wherever it shows. A name that differs has one cause in the
// list of venues, in the venue, and in each event at the venue.
type Cause struct {
	Resource string `json:"resource,omitempty"` // of the item or list, such as "venues"; "" if only the call determines it
	ID       string `json:"id,omitempty"`       // of the item; "" for a list, and if only the call determines it
	Member   string `json:"member,omitempty"`   // path in the item, such as "image.url"; "" for the whole item
	Values   string `json:"values,omitempty"`   // hash of the way in which the two differ
}

// owner is the innermost item of the table that the walker is in.
type owner struct {
	at       *location // nil outside of items
	resource string
	id       string

	// Where the candidate has another item in the place of one in this item: the path of that place,
	// and a hash of both ids.
	place, other string
}

// inside returns the owner of the members of two objects at a location.
func (o owner) inside(c *Comparer, p *location, a, b *node) owner {
	if p.resource == "" || o.other != "" {
		return o
	}
	id, there, at := a.member(idName), b.member(idName), p.at(idName)
	if id != nil && there != nil && o.at != nil && !c.same(id, there, at) {
		o.place, o.other = p.below(o.at), digest(string(Value), show(id, at), show(there, at))
		return o
	}
	inner := owner{at: p, resource: p.resource}
	if id != nil {
		inner.id = show(id, at)
	}
	return inner
}

// cause returns the cause of a difference at a location. Values that look the same in a report have the
// same hash.
func (w *walker) cause(p *location, d Difference, o owner) Cause {
	values := digest(string(d.Kind), d.Want, d.Got)
	if d.Kind == Order { // each page of a list shows other items
		values = digest(string(d.Kind))
	}
	switch {
	case o.at == nil && p.resource != "" && d.Item != "": // an item of a list
		return Cause{Resource: p.resource, ID: d.Item, Values: digest(string(d.Kind))}
	case o.at == nil:
		return Cause{Resource: w.resource, Member: p.String(), Values: values}
	case o.other != "":
		return Cause{o.resource, o.id, o.place, o.other}
	}
	return Cause{o.resource, o.id, p.below(o.at), values}
}

// MissingItem returns the cause of an item that the candidate's list lacks.
func MissingItem(resource, id string) Cause {
	return Cause{Resource: resource, ID: id, Values: digest(string(Missing))}
}

// causeOfStatus returns the cause of a difference of the statuses. The code of an error may
// depend on the way in which an item is read.
func causeOfStatus(want, got Document) Cause {
	failed := func(d Document) string { return strconv.FormatBool(d.Status >= http.StatusBadRequest) }
	return Cause{Values: digest(string(Status), failed(want), failed(got))}
}

// digest returns a short hash of texts, which is the same in every run.
func digest(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		_, _ = fmt.Fprintf(h, "%d %s,", len(text), text) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// seen is a difference in the responses of a step.
type seen struct {
	*Step
	*Response
	Difference
}

// assign completes the causes of the differences of a step. A difference that repeats another one of
// the same response has the cause of that one. An item that cannot be read by its slug, because it
// has another one, has the cause of the slug.
func assign(all []seen) {
	for i := range all {
		all[i].complete()
	}
	own := slices.Clone(all)
	for i := range all {
		if source := sourceOf(own, i); source >= 0 {
			all[i].Cause = own[source].Cause
		}
	}
}

// complete adds to the cause what follows from the call, and not from the document.
func (s *seen) complete() {
	c := &s.Cause
	resource, _, _ := strings.Cut(s.Endpoint, ".")
	if c.Resource == "" {
		c.Resource, c.Member = resource, s.Path
	}
	if c.ID == "" && c.Resource == resource {
		c.ID = s.ID
	}
}

// bySlug ends the names of endpoints that read by slug.
const bySlug = "_by_slug"

// sourceOf returns the index of the difference that the one at i repeats; -1 for none.
func sourceOf(all []seen, i int) int {
	s := &all[i]
	if s.Kind == Status {
		return slices.IndexFunc(all, func(other seen) bool {
			return strings.HasSuffix(s.Endpoint, bySlug) && other.Cause.Member == mapping.SlugParam.Name
		})
	}
	found := -1
	for _, path := range sources(s) {
		for j := range all {
			other := &all[j]
			if other.Call != s.Call || s.Item != "" && other.Item != s.Item || !below(other.Path, path) {
				continue
			}
			if own := !strings.Contains(s.Cause.Member, "."); own && other.Kind != s.Kind {
				continue // it may differ for another reason
			}
			if other.Cause.Values == s.Cause.Values {
				return j
			}
			if found < 0 {
				found = j
			}
		}
	}
	return found
}

// sources returns the paths of the members that a difference repeats, in its response.
func sources(s *seen) (all []string) {
	prefix, ok := strings.CutSuffix(s.Path, s.Cause.Member)
	if s.Cause.Member == "" || !ok {
		return nil
	}
	for _, a := range attributes(s.Cause.Resource, s.Cause.Member) {
		for _, name := range a.Repeats {
			all = append(all, prefix+name)
		}
		if all != nil {
			break
		}
	}
	return all
}

// below reports whether a path is top, or below it.
func below(path, top string) bool {
	rest, ok := strings.CutPrefix(path, top)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
