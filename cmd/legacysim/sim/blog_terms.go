package sim

import (
	"slices"
	"strconv"
)

// term returns the term of that taxonomy and id, or nil.
func (b *blog) term(tax kind, id int) *term {
	if t := b.terms[id]; t != nil && !t.isMissing && t.kind == tax {
		return t
	}
	return nil
}

// termThat returns a term that passes, or nil.
func (b *blog) termThat(tax kind, pass func(*term) bool) *term {
	for _, t := range b.terms {
		if t.kind == tax && !t.isMissing && pass(t) {
			return t
		}
	}
	return nil
}

func (b *blog) findSlug(tax kind, slug string) *term {
	return b.termThat(tax, func(t *term) bool { return t.slug == slug })
}

// findTerm accepts an id or a slug, and returns nil if the taxonomy has no such term.
func (b *blog) findTerm(tax kind, s string) *term {
	if id, err := strconv.Atoi(s); err == nil && b.term(tax, id) != nil {
		return b.terms[id]
	}
	return b.findSlug(tax, slugify(s))
}

// withDescendants adds the terms below: a category stands for its children.
func (b *blog) withDescendants(ids []int) []int {
	out := slices.Clone(ids)
	for i := 0; i < len(out); i++ {
		for _, t := range b.terms {
			if t.parent == out[i] {
				out = append(out, t.id)
			}
		}
	}
	return out
}

// newTerm finds a free slug near the wanted one: with the parent's behind it, or
// with a number.
func (b *blog) newTerm(tax kind, name, slug string, parent int) *term {
	if slug = slugify(slug); slug == "" {
		slug = slugify(name)
	}
	if up := b.terms[parent]; up != nil && b.findSlug(tax, slug) != nil {
		slug += "-" + up.slug
	}
	return b.addTerm(&term{item: item{kind: tax, slug: b.freeTermSlug(tax, slug)}, name: name, parent: parent})
}

// freeTermSlug is a slug that no other term has.
func (b *blog) freeTermSlug(tax kind, proposal string) string {
	return numbered(proposal, func(slug string) bool { return b.findSlug(tax, slug) != nil })
}

// countTerms returns how many published events have each term.
func (b *blog) countTerms() map[int]int {
	counts := map[int]int{}
	for _, p := range b.posts {
		if p.kind != eventKind || p.status != "publish" {
			continue
		}
		for _, t := range slices.Concat(p.event.categories, p.event.tags) {
			counts[t]++
		}
	}
	return counts
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

func (p *post) hasTerm(id int) bool {
	return p.event != nil && (slices.Contains(p.event.categories, id) || slices.Contains(p.event.tags, id))
}
