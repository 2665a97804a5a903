package compare

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// errorEndpoint is the endpoint of all errors.
const errorEndpoint = "error"

// effect is a set of bits: what rules do at a path.
type effect uint8

const (
	ignored effect = 1 << iota
	set
	empty
	masked
)

// elements is the step from a list to its elements.
const elements = "[]"

// path is the path of a rule: steps that are names, [], * or **.
type path struct {
	steps []string
	does  effect
	known *Known // nil for the path of no known difference
}

// endpointForm matches an endpoint in front of a path. Names of
// attributes may have a colon too, as relations of links do.
var endpointForm = regexp.MustCompile(`^[a-z]+(\.[a-z_]+)?:`)

func parsePath(s string) (endpoint string, steps []string, err error) {
	if prefix := endpointForm.FindString(s); prefix != "" {
		endpoint, s = strings.TrimSuffix(prefix, ":"), s[len(prefix):]
		if !isEndpoint(endpoint) {
			return "", nil, fmt.Errorf("there is no endpoint %s", endpoint)
		}
	}
	for i, part := range strings.Split(s, ".") {
		name, lists := part, 0
		for strings.HasSuffix(name, elements) {
			name, lists = strings.TrimSuffix(name, elements), lists+1
		}
		switch {
		case name == "" && (i > 0 || lists == 0):
			return "", nil, errors.New("a name is empty")
		case name == "**" && lists > 0:
			return "", nil, errors.New("[] behind ** says nothing")
		case name != "*" && name != "**" && strings.ContainsAny(name, odd):
			return "", nil, fmt.Errorf("%s is neither a name nor * nor **", name)
		}
		if name != "" {
			steps = append(steps, name)
		}
		steps = append(steps, slices.Repeat([]string{elements}, lists)...)
	}
	return endpoint, steps, nil
}

// odd are characters that no name in a path has.
const odd = ".[]* \t\n\""

func isEndpoint(name string) bool { return name == errorEndpoint || rowOf(name) != nil }

// rowOf returns the row of the table with a name; nil for none.
func rowOf(name string) *mapping.Endpoint {
	for i := range mapping.Table {
		if mapping.Table[i].Name() == name {
			return &mapping.Table[i]
		}
	}
	return nil
}

// leadsTo reports whether the steps of a rule lead to a location.
func leadsTo(rule, steps []string) bool {
	switch {
	case len(rule) == 0:
		return len(steps) == 0
	case rule[0] == "**":
		return leadsTo(rule[1:], steps) || len(steps) > 0 && leadsTo(rule, steps[1:])
	case len(steps) == 0:
		return false
	case rule[0] != "*":
		return rule[0] == steps[0] && leadsTo(rule[1:], steps[1:])
	case steps[0] == elements:
		return false
	}
	for steps = steps[1:]; len(steps) > 0 && steps[0] == elements; steps = steps[1:] {
		if leadsTo(rule[1:], steps) {
			return true
		}
	}
	return leadsTo(rule[1:], steps)
}

// location is the path of a value in a document, all elements of a list together, and
// what the rules mean for it. Locations are made on first use, and are for two documents only.
type location struct {
	parent *location
	steps  []string
	rules  []*path // of the endpoint
	does   effect
	known  []*Known
	inside map[string]*location

	shape    *mapping.Shape // of the object here; nil where the table does not tell
	resource string         // of the item or the list of items here; "" for none
}

// at returns the location of a member or, with [], of the elements.
func (p *location) at(step string) *location {
	if q := p.inside[step]; q != nil {
		return q
	}
	q := &location{parent: p, steps: append(slices.Clip(p.steps), step), rules: p.rules, does: p.does & masked}
	if step != elements && secretName.MatchString(step) {
		q.does |= masked
	}
	q.apply()
	q.shape, q.resource = p.shapeOf(step)
	if p.inside == nil {
		p.inside = map[string]*location{}
	}
	p.inside[step] = q
	return q
}

// apply applies the rules that lead here.
func (p *location) apply() {
	for _, r := range p.rules {
		if !leadsTo(r.steps, p.steps) {
			continue
		}
		if p.does |= r.does; r.known != nil {
			p.known = append(p.known, r.known)
		}
	}
}

func (p *location) is(e effect) bool { return p.does&e != 0 }

// maxPath is the maximum length of a reported path, in bytes.
const maxPath = 200

// learn lets the top of a document know what the table has of the endpoint, and returns its
// resource.
func (p *location) learn(endpoint string) string {
	e := rowOf(endpoint)
	if e == nil {
		return ""
	}
	if p.shape = e.Result; e.Action != mapping.List {
		p.resource = e.Resource
	}
	return e.Resource
}

// shapeOf returns what the table has of a member, or of the elements.
func (p *location) shapeOf(step string) (*mapping.Shape, string) {
	if step == elements {
		return p.shape, p.resource
	}
	a, _ := p.shape.Find([]byte(step), 0)
	if a.Class != mapping.Object {
		return nil, ""
	}
	return a.Shape, a.Resource
}

// String returns the path as it is reported.
func (p *location) String() string { return written(p.steps) }

// below returns the path from a location further up.
func (p *location) below(up *location) string { return written(p.steps[len(up.steps):]) }

// written returns a path as it is reported: of a long one the end.
func written(steps []string) string {
	text := ""
	for i := len(steps) - 1; i >= 0 && len(text) < maxPath; i-- {
		if text != "" && !strings.HasPrefix(text, elements) {
			text = "." + text
		}
		text = shorten(steps[i], maxPath) + text
	}
	return text
}
