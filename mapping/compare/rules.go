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
type Rules struct {
	// Ignore are members that are not compared, with everything in them. "venues.city" is the city of venues, also of
	// those inside events; "city" is the city of all items; "image.sizes" is a member of a member, without the
	// brackets of lists. A list is named by its resource too, as in "events.total", and an error as in "error.message".
	Ignore []string

	// TwoSites is for documents of two installations: these may differ in what the table says that each
	// installation has for itself, in the order of terms, and in [] for {}, as PHP writes an object
	// without members. Clients send terms in any order, and sites sort them as they like.
	TwoSites bool

	// Hosts, with their ports, are one site: URLs that differ in scheme and these
	// hosts alone are the same, also inside texts, and so are values that begin with
	// such a host, with or without its port, as global ids do.
	Hosts []string

	// Known are kinds of differences that are expected, and are reported apart.
	Known []Known
}

// Default are the rules for two installations of one site, whose items have the
// same ids. The forms of values are part of the contract, and so are compared.
func Default() Rules {
	return Rules{Ignore: []string{"error.message", "error.data.params", "error.data.details"}, TwoSites: true}
}

// Comparer compares by rules. It is safe for concurrent use.
type Comparer struct {
	rules     Rules
	hosts     *regexp.Regexp                   // see [Rules.Hosts]; nil for none
	fetchItem func(resource, id string) []byte // the reference's item; nil for none

	entries bool // see [Comparer.Entries]
}

// Compile checks the rules and reports all faults at once.
func (r Rules) Compile() (*Comparer, error) {
	c := &Comparer{rules: r}
	var faults []error
	for _, name := range r.Ignore {
		if !memberForm.MatchString(name) {
			faults = append(faults, fmt.Errorf("ignore: %q is no member, such as venues.city, or city of all items", name))
		}
	}
	if len(r.Hosts) > 0 {
		c.hosts = hostsForm(r.Hosts)
	}
	return c, errors.Join(faults...)
}

// port matches a port behind a host.
var port = regexp.MustCompile(`:[0-9]+$`)

// hostsForm returns an expression for hosts in URLs and at the beginning of a text, with the next character.
func hostsForm(hosts []string) *regexp.Regexp {
	var inURL, first []string
	for _, host := range hosts {
		host = regexp.QuoteMeta(host)
		inURL = append(inURL, host)
		first = append(first, host, port.ReplaceAllString(host, ""))
	}
	// Only the hosts fold case: to fold the class takes milliseconds, since it has nearly all characters.
	return regexp.MustCompile(`(?i:https?://(?:` + strings.Join(inURL, "|") + `)|^(?:` + strings.Join(first, "|") +
		`))([^-.:_\[\]0-9A-Za-z\x{80}-\x{10ffff}]|$)`)
}

// withoutHosts replaces the hosts in a text.
func (c *Comparer) withoutHosts(s string) string {
	if c.hosts == nil {
		return s
	}
	return c.hosts.ReplaceAllString(s, "\x00site$1")
}

// top is the location of a whole document.
func (c *Comparer) top(endpoint string) *location {
	p := &location{rules: &c.rules}
	p.owner, _, _ = strings.Cut(endpoint, ".")
	if e := rowOf(endpoint); e != nil {
		p.shape = e.Result
		if e.Action != mapping.List {
			p.resource = e.Resource
		}
	}
	return p
}

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

// memberForm matches names with dots between them.
var memberForm = regexp.MustCompile(`^[^.:\[\]*\s"]+(?:\.[^.:\[\]*\s"]+)*$`)

// rowOf returns the row of the table with a name; nil for none.
func rowOf(name string) *mapping.Endpoint {
	for _, e := range mapping.Table {
		if e.Name() == name {
			return e
		}
	}
	return nil
}

// location is the path of a value in a document, all elements of a list together, and
// what the rules mean for it. Locations are made on first use, and are for two documents only.
type location struct {
	steps  []string
	rules  *Rules
	does   effect
	inside map[string]*location

	owner  string // the resource of the innermost item or list around the value; "error" in an error
	depth  int    // steps that lead to that item
	member string // the further steps, as in [Rules]

	shape    *mapping.Shape // of the object here; nil where the table does not tell
	resource string         // of the item or the list of items here; "" for none
	idOf     *location      // the item whose id is here; nil for none
	repeats  []string       // members of the innermost item from which the value here follows
}

// child returns the location of a member or, with [], of the elements.
func (p *location) child(step string) *location {
	if q := p.inside[step]; q != nil {
		return q
	}
	q := &location{steps: append(slices.Clip(p.steps), step), rules: p.rules, does: p.does & masked, repeats: p.repeats,
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

// effects returns what the table means for an attribute.
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

// maxPath is the maximum length of a reported path, in bytes.
const maxPath = 200

// pathText returns a path as it is reported: of a long one the end.
func pathText(steps []string) string {
	text := ""
	for i := len(steps) - 1; i >= 0 && len(text) < maxPath; i-- {
		if text != "" && !strings.HasPrefix(text, elements) {
			text = "." + text
		}
		text = Shorten(steps[i], maxPath) + text
	}
	return text
}
