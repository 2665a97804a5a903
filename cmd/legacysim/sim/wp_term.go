package sim

import (
	"math"
	"slices"
)

// wpTermOrders are what WordPress sorts terms by.
var wpTermOrders = []string{"id", "include", "name", "slug", "include_slugs", "term_group", "description", "count"}

// wpTerm is the record of a term. Only what has a hierarchy has a parent.
func (c *call) wpTerm(d termDef, t *term) object {
	o := object{
		{"id", t.id}, {"count", c.termCount(t.id)}, {"description", t.description}, {"link", c.termPage(t)},
		{"name", t.name}, {"slug", t.slug}, {"taxonomy", string(t.taxonomy)},
	}
	if d.taxonomy == categoryTaxonomy {
		o = o.with("parent", t.parent)
	}
	return o.with("meta", list{})
}

func (c *call) linkedTerm(d termDef, t *term) object {
	return c.wpTerm(d, t).with("_links", c.termLinks(d, t))
}

// wpTerms looks at rights before anything else, but for a name that is missing.
func (c *call) wpTerms(d termDef, id string) (*answer, error) {
	t := c.blog.term(d.taxonomy, atoi(id))
	if id != "" && t == nil {
		return nil, refusal(404, "rest_term_invalid", "Term does not exist.")
	}
	c.allow = get
	switch {
	case d.mayWrite(c) && id != "":
		c.allow = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	case d.mayWrite(c):
		c.allow = []string{"GET", "POST"}
	}
	switch {
	case c.reads() && t != nil:
		return ok(c.linkedTerm(d, t))
	case c.reads():
		return c.wpTermList(d)
	case t == nil && c.method == "POST" && !c.params.given("name"):
		return nil, c.root.lang.missingParams([]string{"name"})
	case !d.mayWrite(c):
		return nil, c.wpForbidden(t)
	}
	c.params["id"] = id
	return c.wpTermWrite(d, t)
}

// wpForbidden names what the user may not do.
func (c *call) wpForbidden(t *term) error {
	e := c.forbidden().(*apiError)
	switch {
	case t == nil:
		e.code, e.message = "rest_cannot_create", "Sorry, you are not allowed to create terms in this taxonomy."
	case c.method == "DELETE":
		e.code, e.message = "rest_cannot_delete", "Sorry, you are not allowed to delete this term."
	default:
		e.code, e.message = "rest_cannot_update", "Sorry, you are not allowed to edit this term."
	}
	return e
}

// wpTermList includes terms that nothing has, unless the request wants none of them. A page
// past the end is empty.
func (c *call) wpTermList(d termDef) (*answer, error) {
	if err := c.wpFaults(wpTermOrders); err != nil {
		return nil, err
	}
	if err := c.wpContext(d.mayWrite(c), "terms in this taxonomy"); err != nil {
		return nil, err
	}
	if c.params.given("post") && c.blog.post(c.params.int("post")) == nil {
		c.allow = nil
		return nil, refusal(400, "rest_post_invalid_id", "Invalid post ID.")
	}
	if !c.params.given("hide_empty") {
		c.params["hide_empty"] = false
	}
	roots := c.params.str("parent") == "0"
	if roots || d.taxonomy == tagTaxonomy {
		delete(c.params, "parent")
	}
	found := d.found(c)
	if roots {
		found = slices.DeleteFunc(found, func(t *term) bool { return t.parent != 0 })
	}
	p := c.paging(len(found), math.MaxInt)
	items := each(slice(found, p), func(t *term) object { return c.linkedTerm(d, t) })
	return c.wpList(items, p, "wp/v2/"+d.restBase, c.pageQuery()), nil
}

// wpTermWrite makes, changes or deletes a term. There is no trash for terms.
func (c *call) wpTermWrite(d termDef, t *term) (*answer, error) {
	switch {
	case t == nil && c.method == "POST":
		a, err := d.create(c)
		if err == nil {
			a.body = c.linkedTerm(d, c.blog.terms[c.blog.lastTerm])
		}
		return a, err
	case t != nil && c.method == "DELETE":
		if !c.params.bool("force") {
			return nil, refusal(501, "rest_trash_not_supported", "Terms do not support trashing. Set 'force=true' to delete.")
		}
		before := c.wpTerm(d, t)
		if _, err := d.remove(c); err != nil {
			return nil, err
		}
		c.allow = nil
		return ok(object{{"deleted", true}, {"previous", before}})
	case t != nil:
		if _, err := d.update(c); err != nil {
			return nil, err
		}
		// The legacy API leaves these two alone where they are empty.
		if c.params.given("description") {
			t.description = c.params.str("description")
		}
		if c.params.given("parent") && isEmpty(c.params["parent"]) {
			t.parent = 0
		}
		return ok(c.linkedTerm(d, t))
	}
	return nil, c.root.lang.noRoute()
}
