package sim

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

func (d termDef) read(c *call) (*answer, error) {
	t := d.target(c)
	return ok(c.renderTerm(d, t).with("_links", c.termLinks(d, t)))
}

// list answers a page past the end with an empty list, and its links keep no
// filter at all.
func (d termDef) list(c *call) (*answer, error) {
	found := d.found(c)
	p := c.paging(len(found), maxPerPage)
	items := each(slice(found, p), func(t *term) object { return c.renderTerm(d, t) })
	self := c.restURL(d.key + "/")
	body := object{{"rest_url", self}, {"total", p.total}, {"total_pages", p.pages}, {d.key, items}}
	if p.page < p.pages {
		body = body.with("next_rest_url", c.restURL(d.key+"/?page="+itoa(p.page+1)))
	}
	switch {
	case p.page == 2:
		body = body.with("previous_rest_url", c.restURL(d.key+"/?"))
	case p.page > 2:
		body = body.with("previous_rest_url", c.restURL(d.key+"/?page="+itoa(p.page-1)))
	}
	return &answer{status: 200, body: body, list: true, total: p.total, pages: p.pages}, nil
}

func (d termDef) found(c *call) []*term {
	pass := every(d.filters(c))
	found := slices.DeleteFunc(slices.Collect(maps.Values(c.blog.terms)), func(t *term) bool { return !pass(t) })
	order := termOrders[c.params.str("orderby")]
	slices.SortFunc(found, func(a, b *term) int {
		n := cmp.Or(cmp.Compare(fold(a.name), fold(b.name)), a.id-b.id)
		if order != nil {
			n = cmp.Or(order(c, a, b), n)
		}
		// Every value other than asc is desc.
		if c.params.given("order") && !strings.EqualFold(c.params.str("order"), "asc") {
			return -n
		}
		return n
	})
	return found
}

// termOrders are the attributes to sort by, other than the name.
var termOrders = map[string]func(c *call, a, b *term) int{
	"id":          func(_ *call, a, b *term) int { return a.id - b.id },
	"term_id":     func(_ *call, a, b *term) int { return a.id - b.id },
	"slug":        func(_ *call, a, b *term) int { return cmp.Compare(a.slug, b.slug) },
	"description": func(_ *call, a, b *term) int { return cmp.Compare(a.description, b.description) },
	"count":       func(c *call, a, b *term) int { return c.termCount(a.id) - c.termCount(b.id) },
}

func (d termDef) filters(c *call) []func(*term) bool {
	in := c.params
	pass := []func(*term) bool{c.listsTerm, func(t *term) bool { return t.taxonomy == d.taxonomy && !t.gone }}
	when := func(name string, f func(*term) bool) {
		if in.given(name) {
			pass = append(pass, f)
		}
	}
	search, exclude := fold(in.str("search")), in.ints("exclude")
	include, parent := c.termIDs(d.taxonomy, "include"), c.termIDs(d.taxonomy, "parent")
	when("search", func(t *term) bool { return strings.Contains(fold(t.name)+"\n"+t.slug, search) })
	when("include", func(t *term) bool { return slices.Contains(include, t.id) })
	when("exclude", func(t *term) bool { return !slices.Contains(exclude, t.id) })
	when("parent", func(t *term) bool { return slices.Contains(parent, t.parent) })
	when("slug", func(t *term) bool { return slices.Contains(in.list("slug"), t.slug) })
	for _, name := range []string{"post", "event"} {
		when(name, func(t *term) bool { return c.blog.posts[in.int(name)].hasTerm(t.id) })
	}
	if !in.given("hide_empty") || in.bool("hide_empty") {
		pass = append(pass, func(t *term) bool { return c.inUse(t) })
	}
	return pass
}

// inUse includes the categories below: a parent of a used category is not empty.
func (c *call) inUse(t *term) bool {
	return slices.ContainsFunc(c.blog.withDescendants([]int{t.id}), func(id int) bool { return c.termCount(id) > 0 })
}
