package compare

import (
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// top is the location of a whole document.
func (c *Comparer) top(endpoint string) *location {
	p := &location{rules: &c.rules}
	p.owner, _, _ = strings.Cut(endpoint, ".")
	e := rowOf(endpoint)
	if e != nil {
		p.shape = e.Result
		if e.Action != mapping.List {
			p.resource = e.Resource
		}
	}
	return p
}

// errorEndpoint is the endpoint of all errors.
const errorEndpoint = "error"

// location is the path of a value in a document, all elements of a list together, and the effects of the rules.
// Locations are made on first use, and are for two documents only.
type location struct {
	steps  []string
	rules  *Rules
	does   effect
	inside map[string]*location

	owner  string // the resource of the innermost item or list around the value; "error" in an error
	depth  int    // steps that lead to that item
	member string // the further steps, as in [Rules]

	shape    *mapping.Shape // of the object here; nil if the table has no shape
	resource string         // of the item or the list of items here; "" elsewhere
	idOf     *location      // the item of the id here; nil without an id
	repeats  []string       // members of the innermost item from which the value here follows
}

// child returns the location of a member or, with [], of the elements.
func (p *location) child(step string) *location {
	q := p.inside[step]
	if q != nil {
		return q
	}
	q = &location{steps: append(slices.Clip(p.steps), step), rules: p.rules, does: p.does & masked, repeats: p.repeats,
		owner: p.owner, depth: p.depth}
	if p.resource != "" {
		q.owner = p.resource
		q.depth = len(p.steps)
	}
	q.member = strings.ReplaceAll(pathText(q.steps[q.depth:]), elements, "")
	if step == elements {
		q.shape = p.shape
		q.resource = p.resource
	} else {
		a, _ := p.shape.Find([]byte(step), 0)
		if p.resource != "" || p.repeats == nil {
			q.repeats = a.Repeats
		}
		if step == idName && p.resource != "" {
			q.idOf = p
		}
		q.does |= p.effects(a, step)
		if a.Class == mapping.Object {
			q.shape = a.Shape
			q.resource = a.Resource
		}
	}
	if q.matches(q.rules.Ignore) {
		q.does |= ignored
	}
	if p.inside == nil {
		p.inside = map[string]*location{}
	}
	p.inside[step] = q
	return q
}

// elements is the step from a list to its elements.
const elements = "[]"

// effect is a set of bits: the effects of rules at a path.
type effect uint8

const (
	ignored effect = 1 << iota
	set
	empty
	masked
)

// effects returns the effects of the table on an attribute.
func (p *location) effects(a *mapping.Attribute, name string) (does effect) {
	if a.Type == mapping.Free || secretName.MatchString(name) {
		does = masked
	}
	if !p.rules.TwoSites {
		return does
	}
	if a.Own {
		does |= ignored
	}
	if a.Type == mapping.Free || a.Type == mapping.Named || a.Type == mapping.NamedLists {
		does |= empty
	}
	if p.resource != "" && a.Resource != "" && mapping.RowOf(a.Resource, mapping.List, false).OfTerms() {
		does |= set
	}
	return does
}

// matches reports whether the value is one of some members, or in one of them.
func (p *location) matches(members []string) bool {
	return slices.ContainsFunc(members, func(m string) bool {
		m = strings.TrimPrefix(m, p.owner+".")
		return p.member == m || strings.HasPrefix(p.member, m+".")
	})
}

func (p *location) has(e effect) bool { return p.does&e != 0 }

// rowOf returns the row of the table with a name; nil without such a row.
func rowOf(name string) *mapping.Endpoint {
	for _, e := range mapping.Table {
		if e.Name() == name {
			return e
		}
	}
	return nil
}

// maxPath is the maximum length of a reported path, in bytes.
const maxPath = 200

// pathText returns the reported form of a path: of a long path the end.
func pathText(steps []string) string {
	text := ""
	for i := len(steps) - 1; i >= 0 && len(text) < maxPath; i-- {
		if text != "" && !strings.HasPrefix(text, elements) {
			text = "." + text
		}
		text = mapping.Shorten(steps[i], maxPath) + text
	}
	return text
}
