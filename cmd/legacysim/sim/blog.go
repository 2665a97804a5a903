package sim

import (
	"maps"
	"slices"
	"strconv"
)

// blog is all content of one WordPress. Where the languages are sites apart, posts and
// terms share nothing with the other languages, not even ids.
type blog struct {
	lang     *language // of added items
	posts    map[int]*post
	byID     []*post // the same, in order; no post ever leaves
	terms    map[int]*term
	lastPost int
	lastTerm int

	translations map[[2]string]*item // by group and language; empty but in the mode Fallback
}

func newBlog(lang *language) *blog {
	return &blog{
		lang: lang, posts: map[int]*post{}, terms: map[int]*term{}, lastPost: lang.firstPost, lastTerm: lang.firstTerm,
		translations: map[[2]string]*item{},
	}
}

// addPost adds the post with the next id.
func (b *blog) addPost(p *post) *post {
	b.lastPost++
	p.id = b.lastPost
	p.lang = b.lang
	return b.put(p)
}

// put adds a post that has an id.
func (b *blog) put(p *post) *post {
	b.posts[p.id] = p
	index, _ := slices.BinarySearchFunc(b.byID, p.id, func(p *post, id int) int { return p.id - id })
	b.byID = slices.Insert(b.byID, index, p)
	return p
}

func (b *blog) addTerm(t *term) *term {
	b.lastTerm++
	t.id = b.lastTerm
	t.lang = b.lang
	b.terms[t.id] = t
	return t
}

// post returns the post of that id, or nil. A post that was planted as missing is not found.
func (b *blog) post(id int) *post {
	p := b.posts[id]
	if p != nil && !p.isMissing {
		return p
	}
	return nil
}

// find returns the post of that kind and id, or nil.
func (b *blog) find(k kind, id int) *post {
	p := b.post(id)
	if p != nil && p.kind == k {
		return p
	}
	return nil
}

// selectPosts returns the posts of a kind that pass, by id.
func (b *blog) selectPosts(k kind, pass func(*post) bool) []*post {
	var out []*post
	for _, p := range b.byID {
		if p.kind == k && !p.isMissing && pass(p) {
			out = append(out, p)
		}
	}
	return out
}

// bySlug returns the post of that kind and slug, or nil. An empty slug finds the first post without a slug,
// which is some draft. A post with a parent is not found: WordPress looks for the slugs of both.
func (b *blog) bySlug(k kind, slug string) *post {
	slug = slugify(slug)
	for _, p := range b.byID {
		if p.kind == k && !p.isMissing && p.slug == slug && p.parent == 0 {
			return p
		}
	}
	return nil
}

// freeSlug is a slug that no other post of the kind has.
func (b *blog) freeSlug(k kind, proposal string, self int) string {
	return numbered(proposal, func(slug string) bool {
		return slices.ContainsFunc(b.byID, func(p *post) bool {
			return p.kind == k && !p.isMissing && p.slug == slug && p.id != self
		})
	})
}

// items are all posts and terms, each by id.
func (b *blog) items() (items []*item) {
	for _, p := range b.byID {
		items = append(items, &p.item)
	}
	for _, id := range slices.Sorted(maps.Keys(b.terms)) {
		items = append(items, &b.terms[id].item)
	}
	return items
}

// groupItems makes the nth thing of a kind in another language's content the translation of the nth in every other
// language.
func (b *blog) groupItems(source *blog) {
	counts := map[kind]int{}
	for _, i := range source.items() {
		counts[i.kind]++
		b.group(i, string(i.kind)+itoa(counts[i.kind]))
	}
}

// group makes the item one of a group, as which it is a translation of the others.
func (b *blog) group(i *item, group string) {
	i.group = group
	b.translations[[2]string{group, i.lang.code}] = i
}

// inLanguage is the published translation of an item, or else the item, for sites that fall back to the
// original.
func (b *blog) inLanguage(i *item, lang *language) *item {
	t := b.translations[[2]string{i.group, lang.code}]
	if t == nil || t.isMissing || !t.kind.ofTerms() && b.posts[t.id].status != "publish" {
		return i
	}
	return t
}

// term returns the term of that taxonomy and id, or nil.
func (b *blog) term(tax kind, id int) *term {
	t := b.terms[id]
	if t != nil && !t.isMissing && t.kind == tax {
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
	slug = slugify(slug)
	if slug == "" {
		slug = slugify(name)
	}
	up := b.terms[parent]
	if up != nil && b.findSlug(tax, slug) != nil {
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
	t := b.findSlug(tax, slugify(word))
	if t != nil {
		return t
	}
	name := fold(storedName(word))
	return b.termThat(tax, func(t *term) bool { return fold(t.name) == name })
}

func (p *post) hasTerm(id int) bool {
	return p.event != nil && (slices.Contains(p.event.categories, id) || slices.Contains(p.event.tags, id))
}
