package mapping

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// TagSpace is the roots that show the same items, those of one WordPress site.
type TagSpace struct {
	Site  string   // begins the tags of items: the code of the site's first language; "" where there is one site
	Roots []string // codes of the languages of the site
}

// TagSpaces are those of all languages, in their order.
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

// Purges returns the tags of what a change changes that the facade did not make: the
// item wherever it is shown, the lists of its kind, and what counts it. code is that
// of the item's language; any that has no root means all sites. Without an id every
// item of the resource may have changed.
func (s TagSpaces) Purges(resource, id, code string) []string {
	var all []string
	for _, space := range s.of(code) {
		set := tagSet{space: space}
		set.changed(resource, id)
		all = append(all, set.tags...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// of returns the space of a language, or all.
func (s TagSpaces) of(code string) []TagSpace {
	if i := slices.IndexFunc(s, func(t TagSpace) bool { return slices.Contains(t.Roots, code) }); i >= 0 {
		return s[i : i+1]
	}
	return s
}

// Parse returns the tags that a text means: itself, where that is a tag. An item
// may have a language before it, as in es:events:12: it is that of the
// language's site. Without one it is that of all sites.
func (s TagSpaces) Parse(tag string) (tags []string, ok bool) {
	code, rest, _ := strings.Cut(tag, ":")
	if len(s) == 0 || !slices.ContainsFunc(s, func(t TagSpace) bool { return slices.Contains(t.Roots, code) }) {
		code, rest = "", tag
	}
	resource, item, found := strings.Cut(rest, ":")
	switch {
	case !slices.Contains(Resources(), resource), found && !isTagItem(resource, item):
		return nil, false
	case !found:
		return []string{tag}, code != ""
	}
	for _, space := range s.of(code) {
		set := tagSet{space: space}
		set.addItem(resource, item)
		tags = append(tags, set.tags...)
	}
	slices.Sort(tags)
	return slices.Compact(tags), true
}

// Subject is what a tag stands for.
type Subject struct {
	Resource string
	Scope    Scope
	ID       string   // of the item; "" for another scope
	Roots    []string // codes of the languages whose roots show it
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
		return Subject{Resource: parts[1], Scope: ListsOfLanguage, Roots: parts[:1]}, true
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
	}
	return subject, true
}

// Path returns the path of the item or of the list without parameters, below the namespace; "" for
// another scope.
func (s Subject) Path() string {
	action := map[Scope]Action{ListsOfLanguage: List, OneItem: Read}[s.Scope]
	for i := range Table {
		if e := &Table[i]; e.Resource == s.Resource && e.Action == action && !e.BySlug() {
			return (&Call{Endpoint: e, Item: s.ID}).Path()
		}
	}
	return ""
}

// isTagItem reports whether item can follow a resource in a tag.
func isTagItem(resource, item string) bool {
	id, ok := ParseID(item)
	_, repeats := occurrencesFrom[resource]
	return item == anyItem || item == anyOccurrence && repeats || ok && id == item
}
