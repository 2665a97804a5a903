package sim

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// writtenTerms returns the ids that an event gets for the requested categories or
// tags: numbers of terms that there are, and words, which become terms. Tags show a
// slip of the plugin: it turns the slug of a tag into the tag's id, and WordPress reads
// that as the name of a tag. A request for the tag "free" adds a tag called "34" to the
// event. Of the same tag twice, by slug and by number, the first counts.
func (c *call) writtenTerms(tax taxonomy, v any) []int {
	var seen, ids []int
	for _, item := range termItems(v) {
		t, found := c.writtenTerm(tax, item)
		if t == nil || slices.Contains(seen, t.id) {
			continue
		}
		seen = append(seen, t.id)
		if _, isNumber := phpNumber(item); found && !isNumber && tax == tagTaxonomy {
			t, _ = c.writtenWord(tax, itoa(t.id))
		}
		ids = append(ids, t.id)
	}
	return ids
}

// writtenTerm is the term that a number or a word stands for, and whether it was there
// before. There is none for an unknown number.
func (c *call) writtenTerm(tax taxonomy, item any) (t *term, found bool) {
	if _, isNumber := phpNumber(item); isNumber {
		id, _ := number(item)
		t := c.blog.term(tax, id)
		return t, t != nil
	}
	return c.writtenWord(tax, strings.TrimSpace(scalar(item)))
}

// writtenWord makes a term of a name or slug that is unknown, but not of one that is
// too long.
func (c *call) writtenWord(tax taxonomy, word string) (t *term, found bool) {
	if t := c.blog.termByWord(tax, word); t != nil {
		return t, true
	}
	if word == "" || utf8.RuneCountInString(word) > maxTermName {
		return nil, false
	}
	return c.blog.newTerm(tax, storedName(word), "", 0), false
}

// termByWord finds a term by its slug or name.
func (b *blog) termByWord(tax taxonomy, word string) *term {
	slug, name := slugify(word), storedName(word)
	return b.termThat(tax, func(t *term) bool { return word != "" && (t.slug == slug || strings.EqualFold(t.name, name)) })
}
