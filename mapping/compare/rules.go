package compare

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// Rules define which values are the same. The zero value has only the rules of JSON:
// neither the order of members nor the way a string or a number is spelled means
// anything.
//
// A path is names with dots between them, each with [] behind it where the elements
// of a list are selected: "events[].venue.city". It begins at the top of the document.
// * is any one name, with its elements; ** is any number of names, also none: the
// path of all members with the name city is "**.city". A name with a dot, a bracket or
// a star in it is met by * alone. A path may begin with the endpoint that it is for:
// "events.list:events[].modified", or "error:message" for all errors.
type Rules struct {
	Ignore []string // paths of values that are not compared
	Sets   []string // paths of lists whose order is ignored
	Empty  []string // paths where [] and {} are the same, as PHP writes an object without members

	// Hosts, with their ports, are one site: URLs that differ in scheme and these
	// hosts alone are the same, also inside texts, and so are values that begin with
	// such a host, with or without its port, as global ids do.
	Hosts []string

	// Mask are paths of values that are never shown. Members named like secrets never are.
	Mask []string

	// Known are kinds of differences that are expected, and are reported apart.
	Known []Known
}

// Default are the rules for two installations of one site, whose items have the
// same ids. The forms of values are part of the contract, and so are compared.
func Default() Rules {
	r := Rules{Ignore: []string{"error:message", "error:data.params", "error:data.details"}}
	for i := range mapping.Table {
		if e := &mapping.Table[i]; e.Result != nil {
			r.learn(e, e.Result, e.Name()+":")
		}
	}
	return r
}

// learn adds what the table knows of the attributes of a shape, which is at a
// path. Terms are a set: clients send them in any order, and sites sort them as they
// like. What the table leaves to other plugins may hold anything, and is not shown.
// What each installation has for itself is ignored everywhere.
func (r *Rules) learn(e *mapping.Endpoint, s *mapping.Shape, path string) {
	attributes := s.Attributes
	if s.Rest != nil {
		rest := *s.Rest
		rest.Name = "*"
		attributes = append(slices.Clone(attributes), rest)
	}
	for i := range attributes {
		a := &attributes[i]
		at := path + a.Name
		if anywhere := "**." + a.Name; a.Own && !slices.Contains(r.Ignore, anywhere) {
			r.Ignore = append(r.Ignore, anywhere)
		}
		switch a.Type {
		case mapping.Free:
			r.Mask = append(r.Mask, at)
			r.Empty = append(r.Empty, at)
		case mapping.Named, mapping.NamedLists:
			r.Empty = append(r.Empty, at)
		}
		if isTerms(e.Resource, a.Name) {
			r.Sets = append(r.Sets, at)
		}
		if a.Class != mapping.Object || a.Shape == nil {
			continue
		}
		if a.Type == mapping.Several || a.Type == mapping.OneOrSeveral {
			r.learn(e, a.Shape, at+"[].")
		}
		if a.Type != mapping.Several {
			r.learn(e, a.Shape, at+".")
		}
	}
}

// isTerms reports whether items of the resource are written with terms of that name.
func isTerms(resource, name string) bool {
	for i := range mapping.Table {
		if e := &mapping.Table[i]; e.Resource == resource && e.Action == mapping.Create {
			return slices.ContainsFunc(e.Fields, func(p mapping.Param) bool { return p.Name == name && p.Kind == mapping.Terms })
		}
	}
	return false
}

// Comparer compares by rules. It is safe for concurrent use.
type Comparer struct {
	rules Rules
	paths map[string][]*path // by endpoint; "" for every endpoint
	names []string           // the hosts, and what they are without ports
	read  func(id string) []byte
}

// ruleList are rules that do the same.
type ruleList struct {
	name  string
	paths []string
	path
}

var port = regexp.MustCompile(`:[0-9]+$`)

// Compile checks the rules and reports all faults at once.
func (r Rules) Compile() (*Comparer, error) {
	c := &Comparer{rules: r, paths: map[string][]*path{}}
	c.rules.Known = slices.Clone(r.Known)
	lists := []ruleList{{"ignore", r.Ignore, path{does: ignored}}, {"sets", r.Sets, path{does: set}}, {"empty", r.Empty, path{does: empty}}, {"mask", r.Mask, path{does: masked}}}
	for i := range c.rules.Known {
		k := &c.rules.Known[i]
		lists = append(lists, ruleList{"known: " + k.Name, k.Paths, path{known: k}})
	}
	var faults []error
	for _, list := range lists {
		for _, text := range list.paths {
			endpoint, steps, err := parsePath(text)
			if err != nil {
				faults = append(faults, fmt.Errorf("%s: path %q: %w", list.name, text, err))
				continue
			}
			p := list.path
			p.steps = steps
			c.paths[endpoint] = append(c.paths[endpoint], &p)
		}
	}
	c.rules.Hosts = nil
	for _, host := range r.Hosts {
		if host == "" || strings.ContainsAny(host, "/?#@ \"") {
			faults = append(faults, fmt.Errorf("hosts: %q: not a host, such as events.example.org or 127.0.0.1:8081", host))
		}
		host = strings.ToLower(host)
		c.rules.Hosts = append(c.rules.Hosts, host)
		c.names = append(c.names, host, port.ReplaceAllString(host, ""))
	}
	return c, errors.Join(faults...)
}

// top is the location of a whole document.
func (c *Comparer) top(endpoint string) *location {
	p := &location{rules: slices.Concat(c.paths[""], c.paths[endpoint])}
	p.apply()
	return p
}
