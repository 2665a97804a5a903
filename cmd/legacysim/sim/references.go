package sim

import (
	"slices"
	"strings"
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
		if _, isNumber := number(item); existed && !isNumber && tax == tagTaxonomy {
			t, _ = c.writtenWord(tax, itoa(t.id))
		}
		ids = append(ids, t.id)
	}
	return ids
}

// writtenTerm is the term that a number or a word stands for, and whether the term existed before. An unknown
// number has no term.
func (c *call) writtenTerm(tax kind, item any) (t *term, existed bool) {
	if id, isNumber := number(item); isNumber {
		t := c.blog.term(tax, id)
		return t, t != nil
	}
	return c.writtenWord(tax, strings.TrimSpace(scalar(item)))
}

// writtenWord makes a term of an unknown name or slug.
func (c *call) writtenWord(tax kind, word string) (t *term, existed bool) {
	if t := c.blog.termByWord(tax, word); t != nil {
		return t, true
	}
	if word == "" {
		return nil, false
	}
	return c.blog.newTerm(tax, storedName(word), "", 0), false
}

// Venues and organizers of an event can be ids, or objects with the fields of new ones. The two resources
// differ unexpectedly: an event can have several organizers, and a single object counts as a list of values.

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
			p, err := d.makePlace(c, fields)
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
