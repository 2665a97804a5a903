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

// Tags name the items that a response shows, and so the changes that purge the response:
//
//	events:12          event 12, in every response and language
//	events:any         any event at all
//	events:occurrence  any occurrence of a series
//	es:events          the set of events of the Spanish root: lists, counts, absence
//
// Venues, organizers and terms likewise. A response has as many tags as items.
//
// Tags of items name no language, since no root shows only items of one language: with TranslatePress all
// languages share one id, with Polylang one root shows all languages, and WPML shows the original if a
// translation is missing. A write purges the lists of all languages for the same reason.

// Tags returns the tags of the response to a read that shows items. root is the code
// of the language root that answered.
func (c *Call) Tags(space TagSpace, root string, shows []Item) []string {
	resource := c.Endpoint.Resource
	tags := []string{space.item(resource, anyItem)}
	if c.Endpoint.Action == List || len(shows) == 0 {
		tags = append(tags, listTag(root, resource))
	}
	if c.Item != "" && !c.Endpoint.BySlug {
		tags = append(tags, space.item(resource, c.Item))
	}
	for _, i := range shows {
		tags = append(tags, space.item(i.Resource, i.ID), space.item(i.Resource, anyItem))
		if isOccurrence(i.Resource, i.ID) {
			tags = append(tags, space.item(i.Resource, anyOccurrence))
		}
		termResource := counted[i.Resource]
		if termResource != "" {
			tags = append(tags, listTag(root, termResource))
		}
	}
	for _, a := range c.Query {
		filtered := cmp.Or(a.Param.Of, a.Param.Names)
		if filtered != "" && !a.IsDefault() {
			tags = append(tags, listTag(root, filtered))
		}
	}
	return unique(tags)
}

// PurgedTags returns the tags that a write changes. id is the id of the item written, and shows has the items in
// the response; both are empty without a response, and then every item of the resource may have changed.
func (c *Call) PurgedTags(space TagSpace, id string, shows []Item) []string {
	var tags []string
	resource := c.Endpoint.Resource
	if !c.Endpoint.BySlug && c.Item != "" {
		tags = space.changed(resource, c.Item) // an occurrence that is written can become a separate event
	}
	if id != "" || c.Item == "" || c.Endpoint.BySlug {
		tags = append(tags, space.changed(resource, id)...)
	}
	for _, a := range c.Fields {
		linked := a.Param.Of
		if linked == "" || a.Preserved {
			continue
		}
		tags = append(tags, space.lists(linked)...) // the write may have created an item, or changed an item with that name
		if id == "" {
			tags = append(tags, space.item(linked, anyItem))
		}
		for _, i := range shows {
			if i.Resource == linked {
				tags = append(tags, space.item(i.Resource, i.ID))
			}
		}
	}
	return unique(tags)
}

// listTag is the tag of the lists of a resource at a language root.
func listTag(root, resource string) string { return root + ":" + resource }

// lists returns the tags of the lists of a resource in every language.
func (s TagSpace) lists(resource string) []string {
	var tags []string
	for _, root := range s.Roots {
		tags = append(tags, listTag(root, resource))
	}
	return tags
}

// item returns the tag of an item, or of the items that a word stands for.
func (s TagSpace) item(resource, id string) string {
	if s.Site == "" {
		return resource + ":" + id
	}
	return s.Site + ":" + resource + ":" + id
}

// changed returns the tags that a change of an item changes, or of any item if id is "". The relations between
// series and occurrences are unknown.
func (s TagSpace) changed(resource, id string) []string {
	tags := s.lists(resource)
	if id == "" || isOccurrence(resource, id) {
		tags = append(tags, s.item(resource, anyItem))
	}
	if id != "" {
		tags = append(tags, s.item(resource, id))
	}
	if _, ok := occurrencesFrom[resource]; ok {
		tags = append(tags, s.item(resource, anyOccurrence))
	}
	return tags
}

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

// isOccurrence reports whether an item may be an occurrence of a series.
func isOccurrence(resource, id string) bool {
	first, repeats := occurrencesFrom[resource]
	if !repeats {
		return false
	}
	n, err := strconv.ParseInt(id, 10, 64)
	return err == nil && n > first
}

// TagSpace is the roots that show the same items: the roots of one WordPress site.
type TagSpace struct {
	Site  string   // prefix of the tags of items: the code of the site's first language; "" with a single site
	Roots []string // codes of the languages of the site
}

// TagSpaces are the spaces of all languages, in their order.
type TagSpaces []TagSpace

// NewTagSpaces returns the spaces of the given number of languages. together returns the codes of the languages
// that show the same items as a language, itself included.
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

// ID identifies the spaces: with another ID, a tag may be missing or have another meaning.
func (s TagSpaces) ID() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []TagSpace(s)))
	return hex.EncodeToString(sum[:4])
}

// PurgedTags returns the tags that an external change changes: the item in every response, the lists of the
// resource, and resources that count the item. code is the code of the item's language; a code without a root
// means all sites. Without an id every item of the resource may have changed.
func (s TagSpaces) PurgedTags(resource, id, code string) []string {
	var tags []string
	for _, space := range s.spacesOf(code) {
		tags = append(tags, space.changed(resource, id)...)
	}
	return unique(tags)
}

// spacesOf returns the space of a language, or all.
func (s TagSpaces) spacesOf(code string) []TagSpace {
	i := slices.IndexFunc(s, func(t TagSpace) bool { return slices.Contains(t.Roots, code) })
	if i >= 0 {
		return s[i : i+1]
	}
	return s
}

// Parse returns the tags that a text means: the text itself if that is a tag. An item may have a language as
// prefix, as in es:events:12, and is then an item of the language's site. Without a language the text means
// items of all sites.
func (s TagSpaces) Parse(tag string) (tags []string, ok bool) {
	code, resource, item, ok := s.parts(tag)
	if !ok || item == "" {
		return []string{tag}, ok
	}
	for _, space := range s.spacesOf(code) {
		tags = append(tags, space.item(resource, item))
	}
	return unique(tags), true
}

// parts splits a tag into the code of the language, "" without a language, the resource, and the id of the item
// or the word for several, "" for a list.
func (s TagSpaces) parts(tag string) (code, resource, item string, ok bool) {
	code, name, _ := strings.Cut(tag, ":")
	if !slices.ContainsFunc(s, func(t TagSpace) bool { return slices.Contains(t.Roots, code) }) {
		code = ""
		name = tag
	}
	resource, item, hasItem := strings.Cut(name, ":")
	id, isID := ParseID(item)
	_, repeats := occurrencesFrom[resource]
	isItem := item == anyItem || item == anyOccurrence && repeats || isID && id == item
	return code, resource, item, slices.Contains(Resources(), resource) && (isItem || !hasItem && code != "")
}

// Subject is the meaning of a tag.
type Subject struct {
	Resource string
	Scope    Scope
	ID       string   // of the item; "" for another scope
	Roots    []string // codes of the languages with roots that show the item
	Path     string   // of the item or of the list without parameters, below the namespace; "" for another scope
}

// Scope is the part of a resource that a tag stands for.
type Scope string

// The scopes.
const (
	OneItem         Scope = "item"
	AnyItem         Scope = "any"         // every item
	AnyOccurrence   Scope = "occurrences" // every occurrence of a series
	ListsOfLanguage Scope = "list"        // the set of items
)

// Subject returns the meaning of a tag of a purge.
func (s TagSpaces) Subject(tag string) (Subject, bool) {
	code, resource, item, ok := s.parts(tag)
	switch {
	case !ok, len(s) == 0:
		return Subject{}, false
	case item == "":
		return Subject{
			Resource: resource,
			Scope:    ListsOfLanguage,
			ID:       "",
			Roots:    []string{code},
			Path:     RowOf(resource, List, false).Path,
		}, true
	}
	subject := Subject{Resource: resource, Roots: s.spacesOf(code)[0].Roots}
	switch item {
	case anyItem:
		subject.Scope = AnyItem
	case anyOccurrence:
		subject.Scope = AnyOccurrence
	default:
		subject.Scope, subject.ID = OneItem, item
		subject.Path = (&Call{Endpoint: RowOf(resource, Read, false), Item: item}).Path()
	}
	return subject, true
}
