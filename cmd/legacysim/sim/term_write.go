package sim

import (
	"cmp"
	"slices"
	"strings"
)

// create refuses a name that its siblings have; for tags all are siblings.
func (d termDef) create(c *call) (*answer, error) {
	name, parent, err := d.nameAndParent(c)
	if err != nil {
		return nil, err
	}
	for _, t := range c.blog.terms {
		if t.kind == d.taxonomy && t.parent == parent && strings.EqualFold(t.name, name) {
			e := c.root.lang.fail(400, "term_exists")
			e.extra = object{{"additional_data", list{t.id, t.id}}}
			return nil, e.with("term_id", t.id)
		}
	}
	t := c.blog.newTerm(d.taxonomy, name, c.params.str("slug"), parent)
	t.description = c.params.str("description")
	return d.created(c, t), nil
}

func (d termDef) created(c *call, t *term) *answer {
	return &answer{
		status:  201,
		body:    c.renderTerm(d, t).with("_links", c.termLinks(d, t)),
		headers: object{{"Location", c.restRoot() + "wp/v2/" + d.restBase + "/" + itoa(t.id)}},
	}
}

// nameAndParent returns the name and the parent in the request, or the objection of WordPress to them. A null
// parent of a tag means no parent.
func (d termDef) nameAndParent(c *call) (name string, parent int, err error) {
	input := c.params
	name = storedName(input.str("name"))
	parent = input.int("parent")
	switch {
	case d.taxonomy == tagTaxonomy && input.isGiven("parent"):
		return "", 0, c.root.lang.fail(400, "rest_taxonomy_not_hierarchical")
	case input.isGiven("name") && name == "":
		return "", 0, c.root.lang.bare("empty_term_name")
	}
	return name, parent, nil
}

func (d termDef) update(c *call) (*answer, error) {
	t := d.target(c)
	name, parent, err := d.nameAndParent(c)
	if err != nil {
		return nil, err
	}
	slug := slugify(c.params.str("slug"))
	owner := c.blog.findSlug(d.taxonomy, slug)
	if slug != "" && owner != nil && owner != t {
		return nil, c.root.lang.bare("duplicate_term_slug")
	}
	t.name = cmp.Or(name, t.name)
	t.slug = cmp.Or(slug, t.slug)
	t.description = cmp.Or(c.params.str("description"), t.description)
	// A term below itself would make a loop.
	if parent != 0 && !slices.Contains(c.blog.withDescendants([]int{t.id}), parent) {
		t.parent = parent
	}
	return success(c.renderTerm(d, t).with("_links", c.termLinks(d, t)))
}

// remove is for good. Children move up, events lose the term.
func (d termDef) remove(c *call) (*answer, error) {
	t := d.target(c)
	body := c.renderTerm(d, t)
	t.isMissing = true // as a translation
	delete(c.blog.terms, t.id)
	for _, child := range c.blog.terms {
		if child.parent == t.id {
			child.parent = t.parent
		}
	}
	lose := func(ids []int) []int { return slices.DeleteFunc(ids, func(id int) bool { return id == t.id }) }
	for _, p := range c.blog.posts {
		if p.event != nil {
			p.event.categories = lose(p.event.categories)
			p.event.tags = lose(p.event.tags)
		}
	}
	return success(body)
}
