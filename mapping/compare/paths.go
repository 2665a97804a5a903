package compare

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/calfacade/calfacade/mapping"
)

// errorEndpoint is what errors are compared as, whoever gave them.
const errorEndpoint = "error"

// effect is what rules mean for a path, as bits.
type effect uint8

const (
	ignored effect = 1 << iota
	set
	empty
	masked
)

// elements is the step from a list to what is in it.
const elements = "[]"

// path is the path of a rule: steps that are names, [], * or **.
type path struct {
	steps []string
	does  effect
	known *Known // nil for the path of no known difference
}

// endpointForm is what an endpoint in front of a path looks like. Names of
// attributes may have a colon too, as relations of links do.
var endpointForm = regexp.MustCompile(`^[a-z]+(\.[a-z_]+)?:`)

func parsePath(s string) (endpoint string, p path, err error) {
	if prefix := endpointForm.FindString(s); prefix != "" {
		endpoint, s = strings.TrimSuffix(prefix, ":"), s[len(prefix):]
		if !isEndpoint(endpoint) {
			return "", path{}, fmt.Errorf("there is no endpoint %s", endpoint)
		}
	}
	for i, part := range strings.Split(s, ".") {
		name, lists := part, 0
		for strings.HasSuffix(name, elements) {
			name, lists = strings.TrimSuffix(name, elements), lists+1
		}
		switch {
		case name == "" && (i > 0 || lists == 0):
			return "", path{}, errors.New("a name is empty")
		case name == "**" && lists > 0:
			return "", path{}, errors.New("[] behind ** says nothing")
		case name != "*" && name != "**" && strings.ContainsAny(name, odd):
			return "", path{}, fmt.Errorf("%s is neither a name nor * nor **", name)
		}
		if name != "" {
			p.steps = append(p.steps, name)
		}
		p.steps = append(p.steps, slices.Repeat([]string{elements}, lists)...)
	}
	return endpoint, p, nil
}

// odd are characters that no name in a path has.
const odd = ".[]* \t\n\""

func isEndpoint(name string) bool {
	return name == errorEndpoint || slices.ContainsFunc(mapping.Table, func(e mapping.Endpoint) bool { return e.Name() == name })
}

// location is the path of a value in a document, all elements of a list together, and
// what the rules mean for it. Locations are made on first use, and are those of two
// documents only.
type location struct {
	parent *location
	step   string
	does   effect
	known  []*Known
	ways   []way
	inside map[string]*location

	shape    *mapping.Shape // of the object here; nil where the table does not tell
	resource string         // of the item or the list of items here; "" for none
}

// way is how far a path has been followed: all steps before next.
type way struct {
	*path
	next int
}

// at returns the location of a member or, with [], of the elements.
func (p *location) at(step []byte) *location {
	if q := p.inside[string(step)]; q != nil {
		return q
	}
	q := &location{parent: p, step: string(step), does: p.does & masked}
	if q.step != elements && secretName.MatchString(q.step) {
		q.does |= masked
	}
	for _, w := range p.ways {
		w.walk(q)
	}
	q.shape, q.resource = p.shapeOf(step)
	if p.inside == nil {
		p.inside = map[string]*location{}
	}
	p.inside[q.step] = q
	return q
}

// walk follows the way into a location.
func (w way) walk(q *location) {
	if w.next > 0 && w.steps[w.next-1] == "*" && q.step == elements {
		q.follow(w)
	}
	if w.next == len(w.steps) {
		return
	}
	switch step := w.steps[w.next]; {
	case step == "**":
		q.follow(w)
	case step == q.step, step == "*" && q.step != elements:
		q.follow(way{w.path, w.next + 1})
	}
}

// follow notes that a way leads here. ** may be nothing at all.
func (p *location) follow(w way) {
	if slices.Contains(p.ways, w) {
		return
	}
	p.ways = append(p.ways, w)
	switch {
	case w.next == len(w.steps):
		if p.does |= w.does; w.known != nil {
			p.known = append(p.known, w.known)
		}
	case w.steps[w.next] == "**":
		p.follow(way{w.path, w.next + 1})
	}
}

func (p *location) is(e effect) bool { return p.does&e != 0 }

// maxPath is the maximum length of a reported path, in bytes.
const maxPath = 200

// endpoints returns the rows of the table by their names.
var endpoints = sync.OnceValue(func() map[string]*mapping.Endpoint {
	all := make(map[string]*mapping.Endpoint, len(mapping.Table))
	for i := range mapping.Table {
		all[mapping.Table[i].Name()] = &mapping.Table[i]
	}
	return all
})

// learn lets the top of a document know what the table has of the endpoint, and returns its
// resource.
func (p *location) learn(endpoint string) string {
	e := endpoints()[endpoint]
	if e == nil {
		return ""
	}
	if p.shape = e.Result; e.Action != mapping.List {
		p.resource = e.Resource
	}
	return e.Resource
}

// shapeOf returns what the table has of a member, or of the elements.
func (p *location) shapeOf(step []byte) (*mapping.Shape, string) {
	if string(step) == elements {
		return p.shape, p.resource
	}
	a, _ := p.shape.Find(step, 0)
	if a.Class != mapping.Object {
		return nil, ""
	}
	return a.Shape, a.Resource
}

// String returns the path as it is reported.
func (p *location) String() string { return p.below(nil) }

// below returns the path from a location further up; nil is the top.
func (p *location) below(up *location) string {
	var steps []string
	length := 0
	for q := p; q != up && q.parent != nil && length < maxPath; q = q.parent {
		step := shorten(q.step, maxPath)
		steps, length = append(steps, step), length+len(step)+1
	}
	slices.Reverse(steps)
	var b strings.Builder
	for i, step := range steps {
		if i > 0 && step != elements {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String()
}
