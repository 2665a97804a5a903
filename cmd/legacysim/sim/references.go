package sim

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/calfacade/calfacade/mapping"
)

// writtenTerms returns the ids that an event gets for the requested categories or tags: numbers of terms that
// there are, and words, which become terms. Tags show a slip of the plugin: the slug of a tag becomes the
// tag's id, and WordPress reads that id as the name of a tag. A request for the tag "free" adds a tag called
// "34" to the event. Of the same tag twice, by slug and by number, the first counts.
func (c *call) writtenTerms(tax kind, v any) []int {
	var termIDs, ids []int
	for _, item := range termItems(v) {
		t, existed := c.writtenTerm(tax, item)
		if t == nil || slices.Contains(termIDs, t.id) {
			continue
		}
		termIDs = append(termIDs, t.id)
		if _, isNumber := phpNumber(item); existed && !isNumber && tax == tagTaxonomy {
			t, _ = c.writtenWord(tax, itoa(t.id))
		}
		ids = append(ids, t.id)
	}
	return ids
}

// writtenTerm is the term that a number or a word stands for, and whether the term existed before. An unknown
// number has no term.
func (c *call) writtenTerm(tax kind, item any) (t *term, existed bool) {
	if _, isNumber := phpNumber(item); isNumber {
		id, _ := number(item)
		t := c.blog.term(tax, id)
		return t, t != nil
	}
	return c.writtenWord(tax, strings.TrimSpace(scalar(item)))
}

// writtenWord makes a term of an unknown name or slug, unless the word is too long.
func (c *call) writtenWord(tax kind, word string) (t *term, existed bool) {
	if t := c.blog.termByWord(tax, word); t != nil {
		return t, true
	}
	if word == "" || utf8.RuneCountInString(word) > maxTermName {
		return nil, false
	}
	return c.blog.newTerm(tax, storedName(word), "", 0), false
}

// termByWord finds a term by slug, else by name as the database compares names.
func (b *blog) termByWord(tax kind, word string) *term {
	if word == "" {
		return nil
	}
	if t := b.findSlug(tax, slugify(word)); t != nil {
		return t
	}
	name := fold(storedName(word))
	return b.termThat(tax, func(t *term) bool { return fold(t.name) == name })
}

// Venues and organizers of an event can be ids, or objects with the fields of new ones. The two resources
// differ unexpectedly: an event can have several organizers, and a single object counts as a list of values.

// isPlaceInput accepts empty values, ids of items of the resource, objects, and a list of these.
func isPlaceInput(resource string) check {
	return func(c *call, v any) error {
		items, isList := v.([]any)
		if !isList {
			return isPlaceItem(c, v, resource)
		}
		for _, item := range items {
			if _, deeper := item.([]any); deeper || isPlaceItem(c, item, resource) != nil {
				return errInvalid
			}
		}
		return nil
	}
}

func isPlaceItem(c *call, v any, resource string) error {
	item, isObject := v.(map[string]any)
	id, hasID := item["id"]
	switch {
	case isEmpty(v), hasID && isEmpty(id):
		return nil
	case hasID:
		return arePosts(kindOf[resource])(c, id)
	case isObject:
		return isNewPlace(c, item, resource)
	}
	return arePosts(kindOf[resource])(c, v)
}

// isNewPlace checks the fields of an object as of a new item, but accepts an empty name.
func isNewPlace(c *call, item map[string]any, resource string) error {
	for _, f := range argsOf(mapping.RowOf(resource, mapping.Create, false)) {
		v, ok := item[f.name]
		switch {
		case f.required && !ok:
			return errInvalid
		case !ok, v == nil, f.required && v == "":
		case c.refused(f, v) != nil, c.mistyped(f, v) != nil:
			return errInvalid
		}
	}
	return nil
}

// writtenPlaces returns the ids of the venues or organizers in a request, each once: numbers, and the ids of
// new items. A list in a list is ignored.
func (d postDef) writtenPlaces(c *call, items []any) ([]int, error) {
	var ids []int
	for _, v := range items {
		if isEmpty(v) {
			continue
		}
		id, _ := number(v)
		if fields, _ := v.(map[string]any); !isEmpty(fields["id"]) {
			id = params(fields).int("id")
		} else if !isEmpty(fields[d.name]) {
			p, err := d.make(c, fields)
			if err != nil {
				return nil, err
			}
			id = p.id
		}
		if id == 0 {
			return nil, d.failed(c)
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
