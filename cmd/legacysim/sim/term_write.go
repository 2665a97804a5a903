package sim

import (
	"slices"
	"strconv"
	"strings"
)

// create refuses a name that its siblings have; for tags all are siblings.
func (d termDef) create(c *call) (*answer, error) {
	name, parent := storedName(c.params.str("name")), d.parent(c)
	for _, t := range c.blog.terms {
		if t.taxonomy == d.taxonomy && t.parent == parent && strings.EqualFold(t.name, name) {
			e := c.root.lang.fail(400, "term_exists", d.taken)
			e.data = object{{"term_id", t.id}}
			e.extra = object{{"additional_data", list{t.id, t.id}}}
			return nil, e
		}
	}
	t := c.blog.newTerm(d.taxonomy, name, c.params.str("slug"))
	t.parent, t.description = parent, stripSlashes(c.params.str("description"))
	return &answer{
		status:   201,
		body:     c.renderTerm(d, t).with("_links", c.termLinks(d, t)),
		location: c.restRoot() + "wp/v2/" + d.restBase + "/" + itoa(t.id),
	}, nil
}

// storedName is a name as WordPress stores it.
func storedName(s string) string {
	return strings.TrimSpace(bareAmpersand.ReplaceAllString(stripSlashes(s), "&amp;$1"))
}

func (d termDef) parent(c *call) int {
	if ids := c.termIDs(categoryTaxonomy, "parent"); d.taxonomy == categoryTaxonomy && len(ids) > 0 {
		return ids[0]
	}
	return 0
}

// newTerm finds a free slug near the wanted one.
func (b *blog) newTerm(tax taxonomy, name, slug string) *term {
	if slug = slugify(slug); slug == "" {
		slug = slugify(name)
	}
	free := slug
	for n := 2; b.findSlug(tax, free) != nil; n++ {
		free = slug + "-" + itoa(n)
	}
	return b.addTerm(&term{taxonomy: tax, name: name, slug: free})
}

func (b *blog) findSlug(tax taxonomy, slug string) *term {
	for _, t := range b.terms {
		if t.taxonomy == tax && t.slug == slug {
			return t
		}
	}
	return nil
}

func (d termDef) update(c *call) (*answer, error) {
	t := d.target(c)
	if c.params.given("name") {
		t.name = storedName(c.params.str("name"))
	}
	if c.params.given("description") {
		t.description = stripSlashes(c.params.str("description"))
	}
	if slug := slugify(c.params.str("slug")); slug != "" {
		t.slug = slug
	}
	// A term below itself would make a loop.
	if up := d.parent(c); up != 0 && !slices.Contains(c.blog.withDescendants([]int{t.id}), up) {
		t.parent = up
	}
	return ok(c.renderTerm(d, t).with("_links", c.termLinks(d, t)))
}

// remove is for good. Children move up, events lose the term.
func (d termDef) remove(c *call) (*answer, error) {
	t := d.target(c)
	body := c.renderTerm(d, t)
	delete(c.blog.terms, t.id)
	for _, child := range c.blog.terms {
		if child.parent == t.id {
			child.parent = t.parent
		}
	}
	lose := func(ids []int) []int { return slices.DeleteFunc(ids, func(id int) bool { return id == t.id }) }
	for _, p := range c.blog.posts {
		if p.event != nil {
			p.event.categories, p.event.tags = lose(p.event.categories), lose(p.event.tags)
		}
	}
	return ok(body)
}

// writtenCategories takes ids, slugs and names, and creates what is not there.
func (c *call) writtenCategories(names []string) []int {
	var ids []int
	for _, s := range names {
		t := c.blog.findTerm(categoryTaxonomy, s)
		if t == nil {
			t = c.blog.newTerm(categoryTaxonomy, storedName(s), "")
		}
		ids = append(ids, t.id)
	}
	return ids
}

// writtenTags shows a slip of the plugin: it turns the slug of a tag into the
// tag's id, and WordPress takes that for the name of a tag. A request for the
// tag "free" gives the event a tag called "34".
func (c *call) writtenTags(names []string) []int {
	var ids []int
	for _, s := range names {
		t := c.blog.findTerm(tagTaxonomy, s)
		_, notID := strconv.Atoi(s)
		if t != nil && notID != nil {
			s, t = itoa(t.id), c.blog.findSlug(tagTaxonomy, itoa(t.id))
		}
		if t == nil {
			t = c.blog.newTerm(tagTaxonomy, storedName(s), "")
		}
		ids = append(ids, t.id)
	}
	return ids
}
