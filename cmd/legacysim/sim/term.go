package sim

import (
	"slices"
	"strconv"
	"strings"
)

// termDef is what categories and tags differ in.
type termDef struct {
	taxonomy taxonomy
	key      string // of the list in JSON, and the path
	restBase string // below wp/v2
	types    []string
	within   string // where no two have one name
}

var categoryDef = termDef{
	taxonomy: categoryTaxonomy, key: "categories", restBase: "tribe_events_cat",
	types: []string{"tribe_events", "tec_calendar_embed"}, within: "with this parent",
}

var tagDef = termDef{
	taxonomy: tagTaxonomy, key: "tags", restBase: "tags",
	types: []string{"posts", "tribe_events", "tec_calendar_embed"}, within: "in this taxonomy",
}

// mayWrite lets authors write categories.
func (d termDef) mayWrite(c *call) bool {
	return c.user.managesAll() || d.taxonomy == categoryTaxonomy && c.user.publishes()
}

// term returns the term of that taxonomy and id, or nil.
func (b *blog) term(tax taxonomy, id int) *term {
	if t := b.terms[id]; t != nil && !t.gone && t.taxonomy == tax {
		return t
	}
	return nil
}

// termThat returns a term that passes, or nil.
func (b *blog) termThat(tax taxonomy, pass func(*term) bool) *term {
	for _, t := range b.terms {
		if t.taxonomy == tax && !t.gone && pass(t) {
			return t
		}
	}
	return nil
}

func (b *blog) findSlug(tax taxonomy, slug string) *term {
	return b.termThat(tax, func(t *term) bool { return t.slug == slug })
}

// findTerm accepts an id or a slug; it returns nil if the taxonomy has none.
func (b *blog) findTerm(tax taxonomy, s string) *term {
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

// termCount is how many published events have the term.
func (c *call) termCount(id int) int {
	if c.counts == nil {
		c.counts = c.blog.countTerms()
	}
	return c.counts[id]
}

func (d termDef) target(c *call) *term { return c.blog.findTerm(d.taxonomy, c.params.str("id")) }

func (p *post) hasTerm(id int) bool {
	return p.event != nil && (slices.Contains(p.event.categories, id) || slices.Contains(p.event.tags, id))
}

// storedName is a name as WordPress stores it. Backslashes stay, unlike those of posts.
func storedName(s string) string {
	return strings.TrimSpace(escapeAmpersands(anyTag.ReplaceAllString(s, ""), "&amp;"))
}

// newTerm finds a free slug near the wanted one: with that of the parent behind it, or
// with a number.
func (b *blog) newTerm(tax taxonomy, name, slug string, parent int) *term {
	if slug = slugify(slug); slug == "" {
		slug = slugify(name)
	}
	if up := b.terms[parent]; up != nil && b.findSlug(tax, slug) != nil {
		slug += "-" + up.slug
	}
	return b.addTerm(&term{taxonomy: tax, name: name, slug: b.freeTermSlug(tax, slug), parent: parent})
}

// freeTermSlug appends -2, -3 and so on until no other term has the slug.
func (b *blog) freeTermSlug(tax taxonomy, want string) string {
	slug := want
	for n := 2; b.findSlug(tax, slug) != nil; n++ {
		slug = want + "-" + itoa(n)
	}
	return slug
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
