package compare

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Rules define which values are the same. The zero value has only the rules of JSON:
// neither the order of members nor the way a string or a number is spelled means
// anything.
type Rules struct {
	// Ignore are members that are not compared, with all values inside. "venues.city" is the city of venues,
	// also of venues inside events; "city" is the city of all items; "image.sizes" is a member of a member,
	// without the brackets of lists. A list is named by the resource too, as in "events.total", and an error as
	// in "error.message".
	Ignore []string

	// TwoSites is for documents of two installations: these may differ in attributes that the table marks as
	// different between installations, in the order of terms, and in [] for {}, as PHP writes an object without
	// members. Clients send terms in any order, and sites sort them as they like.
	TwoSites bool

	// Hosts, with their ports, are one site: URLs that differ in scheme and these hosts alone are the same,
	// also inside texts, and so are values that begin with such a host, with or without a port, such as global
	// ids.
	Hosts []string

	// Known are kinds of differences that are expected, and are reported apart.
	Known []Known
}

// Default are the rules for two installations of one site, with the same ids of items. The forms of values are
// part of the contract, and so are compared.
func Default() Rules {
	return Rules{Ignore: []string{"error.message", "error.data.params", "error.data.details"}, TwoSites: true}
}

// Comparer compares by rules, and is safe for concurrent use.
type Comparer struct {
	rules     Rules
	hosts     *regexp.Regexp                   // see [Rules.Hosts]; nil without hosts
	fetchItem func(resource, id string) []byte // the reference's item; nil disables fetches

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

// memberForm matches names with dots between them.
var memberForm = regexp.MustCompile(`^[^.:\[\]*\s"]+(?:\.[^.:\[\]*\s"]+)*$`)

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
	// Only the hosts fold case: to fold the class takes milliseconds, since the class has nearly all characters.
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

// findKnown returns the first known difference with a property; nil without such a difference.
func (c *Comparer) findKnown(property func(*Known) bool) *Known {
	i := slices.IndexFunc(c.rules.Known, func(k Known) bool { return property(&k) })
	if i >= 0 {
		return &c.rules.Known[i]
	}
	return nil
}
