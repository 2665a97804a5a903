package mapping

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Tags are what a response shows, and so which changes purge it:
//
//	events:12          event 12, wherever it is shown and in whatever language
//	events:any         any event at all
//	events:occurrence  any occurrence of a series
//	es:events          which events the Spanish root has: lists, counts, that there is none
//
// Venues, organizers and terms likewise. The number of tags of a response is that
// of the items inside.
//
// Tags of items name no language, for no root shows items of its own language alone:
// with TranslatePress one id is all languages, with Polylang one root shows all of
// them, and WPML shows the original where a translation is missing. A write purges
// the lists of all languages for the same reason.

// Tags returns the tags of the response to a read that shows items. root is the code
// of the language root that answered.
func (c *Call) Tags(space TagSpace, root string, shows []Item) []string {
	own := c.Endpoint.Resource
	set := tagSet{space: space, tags: make([]string, 0, len(shows)+usualTags)}
	set.text.Grow(cap(set.tags) * bytesPerTag)
	set.addItem(own, anyItem)
	if c.Endpoint.Action == List || len(shows) == 0 {
		set.write(root, ":", own)
	}
	if c.Item != "" && !c.Endpoint.BySlug {
		set.addItem(own, c.Item)
	}
	var seen []string
	repeats := false
	for _, i := range shows {
		set.addItem(i.Resource, i.ID)
		if !repeats && isOccurrence(i.Resource, i.ID) {
			repeats = true
			set.addItem(i.Resource, anyOccurrence)
		}
		if slices.Contains(seen, i.Resource) {
			continue
		}
		seen = append(seen, i.Resource)
		set.addItem(i.Resource, anyItem)
		if other := counted[i.Resource]; other != "" {
			set.write(root, ":", other)
		}
	}
	for _, a := range c.Query {
		if other := cmp.Or(a.Param.Of, a.Param.Names); other != "" && !a.IsDefault() {
			set.write(root, ":", other)
		}
	}
	return unique(set.tags)
}

// Purges returns the tags that a write changes. id is the id of the item written and
// shows what its response shows; both are empty where there was no answer, and
// then every item of the resource may have changed.
func (c *Call) Purges(space TagSpace, id string, shows []Item) []string {
	set := tagSet{space: space}
	own := c.Endpoint.Resource
	if !c.Endpoint.BySlug && c.Item != "" {
		set.changed(own, c.Item) // an occurrence that is written can become an event of its own
	}
	if id != "" || c.Item == "" || c.Endpoint.BySlug {
		set.changed(own, id)
	}
	for _, a := range c.Fields {
		other := a.Param.Of
		if other == "" || a.Preserved {
			continue
		}
		set.addLists(other) // one may have been made on the way, or changed if it had that name
		if id == "" {
			set.addItem(other, anyItem)
		}
		for _, i := range shows {
			if i.Resource == other {
				set.addItem(i.Resource, i.ID)
			}
		}
	}
	return unique(set.tags)
}

// tagSet collects the tags of a response or of a purge.
type tagSet struct {
	space TagSpace
	tags  []string
	text  strings.Builder // of the tags, in few pieces of memory
}

// addLists adds the lists of a resource in every language.
func (s *tagSet) addLists(resource string) {
	for _, root := range s.space.Roots {
		s.write(root, ":", resource)
	}
}

func (s *tagSet) addItem(resource, id string) {
	if s.space.Site == "" {
		s.write(resource, ":", id)
		return
	}
	s.write(s.space.Site, ":", resource, ":", id)
}

func (s *tagSet) write(parts ...string) {
	start := s.text.Len()
	for _, p := range parts {
		s.text.WriteString(p)
	}
	s.tags = append(s.tags, s.text.String()[start:])
}

// changed adds what a change of an item changes, or of any if id is "". Nothing says
// which occurrences a series has, and which series has an occurrence.
func (s *tagSet) changed(resource, id string) {
	s.addLists(resource)
	if id == "" || isOccurrence(resource, id) {
		s.addItem(resource, anyItem)
	}
	if id != "" {
		s.addItem(resource, id)
	}
	if _, repeats := occurrencesFrom[resource]; repeats {
		s.addItem(resource, anyOccurrence)
	}
}

// usualTags is how many tags most answers have that are not of an item.
const usualTags = 8

// bytesPerTag is how long most tags are at most: a longer one costs another
// allocation.
const bytesPerTag = 24

// unique sorts tags, each once.
func unique(tags []string) []string {
	slices.Sort(tags)
	return slices.Compact(tags)
}

// Words instead of an id in a tag.
const (
	anyItem       = "any"
	anyOccurrence = "occurrence"
)

// isOccurrence reports whether an item may be one of a series.
func isOccurrence(resource, id string) bool {
	from, repeats := occurrencesFrom[resource]
	if !repeats {
		return false
	}
	n, err := strconv.ParseInt(id, 10, 64)
	return err == nil && n > from
}

// TagSpace is the roots that show the same items: the roots of one WordPress site.
type TagSpace struct {
	Site  string   // begins the tags of items: the code of the site's first language; "" where there is one site
	Roots []string // codes of the languages of the site
}

// TagSpaces are the spaces of all languages, in their order.
type TagSpaces []TagSpace

// NewTagSpaces returns the spaces of so many languages. together returns the codes of the
// languages that show the same items as one of them, itself included.
func NewTagSpaces(languages int, together func(int) []string) TagSpaces {
	spaces := make(TagSpaces, languages)
	for i := range spaces {
		spaces[i].Roots = together(i)
		if len(spaces[i].Roots) < languages {
			spaces[i].Site = spaces[i].Roots[0]
		}
	}
	return spaces
}

// ID identifies the spaces: with another one, a tag may be missing or stand for something else.
func (s TagSpaces) ID() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []TagSpace(s)))
	return hex.EncodeToString(sum[:4])
}

// Purges returns the tags that a change changes that the facade did not make: the
// item wherever it is shown, the lists of its kind, and what counts it. code is the
// code of the item's language; any that has no root means all sites. Without an id every
// item of the resource may have changed.
func (s TagSpaces) Purges(resource, id, code string) []string {
	var all []string
	for _, space := range s.of(code) {
		set := tagSet{space: space}
		set.changed(resource, id)
		all = append(all, set.tags...)
	}
	return unique(all)
}

// of returns the space of a language, or all.
func (s TagSpaces) of(code string) []TagSpace {
	if i := slices.IndexFunc(s, func(t TagSpace) bool { return slices.Contains(t.Roots, code) }); i >= 0 {
		return s[i : i+1]
	}
	return s
}

// Parse returns the tags that a text means: itself, where that is a tag. An item
// may have a language before it, as in es:events:12: it is an item of the
// language's site. Without one it is an item of any site.
func (s TagSpaces) Parse(tag string) (tags []string, ok bool) {
	code, rest, _ := strings.Cut(tag, ":")
	if len(s) == 0 || !slices.ContainsFunc(s, func(t TagSpace) bool { return slices.Contains(t.Roots, code) }) {
		code, rest = "", tag
	}
	resource, item, found := strings.Cut(rest, ":")
	id, isID := ParseID(item)
	_, repeats := occurrencesFrom[resource]
	switch {
	case !slices.Contains(Resources(), resource), found && item != anyItem && !(item == anyOccurrence && repeats) && !(isID && id == item):
		return nil, false
	case !found:
		return []string{tag}, code != ""
	}
	for _, space := range s.of(code) {
		set := tagSet{space: space}
		set.addItem(resource, item)
		tags = append(tags, set.tags...)
	}
	return unique(tags), true
}

// Subject is the meaning of a tag.
type Subject struct {
	Resource string
	Scope    Scope
	ID       string   // of the item; "" for another scope
	Roots    []string // codes of the languages whose roots show it
	Path     string   // of the item or of the list without parameters, below the namespace; "" for another scope
}

// Scope is how much of a resource a tag stands for.
type Scope string

// The scopes.
const (
	OneItem         Scope = "item"
	AnyItem         Scope = "any"         // every item
	AnyOccurrence   Scope = "occurrences" // every occurrence of a series
	ListsOfLanguage Scope = "list"        // which items there are
)

// Subject returns what a tag of a purge stands for.
func (s TagSpaces) Subject(tag string) (Subject, bool) {
	parsed, ok := s.Parse(tag)
	if !ok || len(parsed) == 0 {
		return Subject{}, false
	}
	parts := strings.Split(parsed[0], ":")
	if len(parts) == 2 && !slices.Contains(Resources(), parts[0]) {
		return Subject{Resource: parts[1], Scope: ListsOfLanguage, Roots: parts[:1], Path: RowOf(parts[1], List, false).Path}, true
	}
	space := s[0]
	if len(parts) == 3 {
		space, parts = s.of(parts[0])[0], parts[1:]
	}
	subject := Subject{Resource: parts[0], Scope: OneItem, ID: parts[1], Roots: space.Roots}
	switch parts[1] {
	case anyItem:
		subject.Scope, subject.ID = AnyItem, ""
	case anyOccurrence:
		subject.Scope, subject.ID = AnyOccurrence, ""
	default:
		subject.Path = (&Call{Endpoint: RowOf(parts[0], Read, false), Item: parts[1]}).Path()
	}
	return subject, true
}
