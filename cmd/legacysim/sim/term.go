package sim

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// termDef holds the differences between categories and tags.
type termDef struct {
	taxonomy kind
	key      string // of the list in JSON, and the path
	restBase string // below wp/v2
	types    []string
}

var categoryDef = termDef{
	taxonomy: categoryTaxonomy, key: "categories", restBase: "tribe_events_cat",
	types: []string{"tribe_events", "tec_calendar_embed"},
}

var tagDef = termDef{
	taxonomy: tagTaxonomy, key: "tags", restBase: "tags",
	types: []string{"posts", "tribe_events", "tec_calendar_embed"},
}

func (d termDef) mayCreate(c *call) bool { return d.mayEdit(c) }

// mayEdit lets authors write categories.
func (d termDef) mayEdit(c *call) bool {
	return c.user.managesAll() || d.taxonomy == categoryTaxonomy && c.user.publishes()
}

// termCount is how many published events have the term.
func (c *call) termCount(id int) int {
	if c.counts == nil {
		c.counts = c.blog.countTerms()
	}
	return c.counts[id]
}

func (d termDef) target(c *call) *term { return c.blog.findTerm(d.taxonomy, c.params.str("id")) }

func (d termDef) read(c *call) (*answer, error) {
	t := d.target(c)
	return success(c.renderTerm(d, t).with("_links", c.termLinks(d, t)))
}

// list answers a page past the end with an empty list, and the links keep no filter at all.
func (d termDef) list(c *call) (*answer, error) {
	terms := d.selectTerms(c)
	p := c.paging(len(terms))
	items := each(slice(terms, p), func(t *term) object { return c.renderTerm(d, t) })
	body := object{{"rest_url", c.restURL(d.key + "/")}, {"total", p.total}, {"total_pages", p.pages}, {d.key, items}}
	body = c.withPages(body, d.key, p, nil)
	return &answer{status: 200, body: body, headers: p.counts("X-TEC")}, nil
}

func (d termDef) selectTerms(c *call) []*term {
	pass := d.filters(c).pass
	terms := slices.DeleteFunc(slices.Collect(maps.Values(c.blog.terms)), func(t *term) bool { return !pass(t) })
	order := termOrders[strings.ToLower(c.params.str("orderby"))]
	slices.SortFunc(terms, func(a, b *term) int {
		n := cmp.Or(cmp.Compare(fold(a.name), fold(b.name)), a.id-b.id)
		if order != nil {
			n = cmp.Or(order(c, a, b), n)
		}
		// Every value other than asc is desc.
		if c.params.isGiven("order") && !strings.EqualFold(c.params.str("order"), "asc") {
			return -n
		}
		return n
	})
	return terms
}

// termOrders are the attributes to sort by, other than the name.
var termOrders = map[string]func(c *call, a, b *term) int{
	"id":          func(_ *call, a, b *term) int { return a.id - b.id },
	"term_id":     func(_ *call, a, b *term) int { return a.id - b.id },
	"slug":        func(_ *call, a, b *term) int { return cmp.Compare(a.slug, b.slug) },
	"description": func(_ *call, a, b *term) int { return cmp.Compare(a.description, b.description) },
	"count":       func(c *call, a, b *term) int { return c.termCount(a.id) - c.termCount(b.id) },
}

func (d termDef) filters(c *call) filters[*term] {
	input := c.params
	pass := filters[*term]{func(t *term) bool { return t.kind == d.taxonomy && !t.isMissing && c.lists(&t.item) }}
	addFilter := func(name string, f func(*term) bool) { pass.addIf(input.isGiven(name), f) }
	search := fold(input.str("search"))
	exclude := input.ints("exclude")
	include := c.termIDs(d.taxonomy, "include")
	parent := c.termIDs(d.taxonomy, "parent")
	addFilter("search", func(t *term) bool { return strings.Contains(fold(t.name)+"\n"+t.slug, search) })
	addFilter("include", func(t *term) bool { return slices.Contains(include, t.id) })
	addFilter("exclude", func(t *term) bool { return !slices.Contains(exclude, t.id) })
	addFilter("parent", func(t *term) bool { return slices.Contains(parent, t.parent) })
	slugs := input.list("slug")
	for i := range slugs {
		slugs[i] = slugify(strings.ReplaceAll(slugs[i], "ß", "s")) // recording list-slug-of-name-sharp-s
	}
	addFilter("slug", func(t *term) bool { return slices.Contains(slugs, t.slug) })
	for _, name := range []string{"post", "event"} {
		addFilter(name, func(t *term) bool { return c.blog.posts[input.int(name)].hasTerm(t.id) })
	}
	pass.addIf(!input.isGiven("hide_empty") || input.bool("hide_empty"), c.inUse)
	return pass
}

// inUse includes the categories below: a parent of a used category is not empty.
func (c *call) inUse(t *term) bool {
	return slices.ContainsFunc(c.blog.withDescendants([]int{t.id}), func(id int) bool { return c.termCount(id) > 0 })
}

// renderTerm is the record of a term; _links come with a single one that is
// still there.
func (c *call) renderTerm(d termDef, t *term) object {
	o := object{
		{"id", t.id}, {"count", c.termCount(t.id)}, {"description", t.description}, {"name", t.name}, {"slug", t.slug},
		{"taxonomy", string(t.kind)},
	}
	if d.taxonomy == categoryTaxonomy {
		o = o.with("parent", t.parent)
	}
	return o.with("meta", list{}).with("url", c.termPage(t)).with("urls", c.termURLs(d, t))
}

func (c *call) termURLs(d termDef, t *term) object {
	o := object{{"self", c.restURL(d.key + "/" + itoa(t.id))}, {"collection", c.restURL(d.key)}}
	if t.parent != 0 {
		o = o.with("up", c.restURL(d.key+"/"+itoa(t.parent)))
	}
	return o
}

// termLinks lead to the REST API of WordPress itself, outside the namespace.
func (c *call) termLinks(d termDef, t *term) object {
	const wp = "wp/v2/"
	allow := []string{"GET"}
	if d.mayEdit(c) {
		allow = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	}
	href := func(path string) object { return object{{"href", c.restLink(wp + path)}} }
	o := object{
		{"self", list{href(d.restBase+"/"+itoa(t.id)).with("targetHints", object{{"allow", listOf(allow)}})}},
		{"collection", list{href(d.restBase)}},
		{"about", list{href("taxonomies/" + string(t.kind))}},
	}
	if t.parent != 0 {
		o = o.with("up", list{object{{"embeddable", true}, {"href", c.restLink(wp + d.restBase + "/" + itoa(t.parent))}}})
	}
	types := each(d.types, func(postType string) object { return href(postType + "?" + d.restBase + "=" + itoa(t.id)) })
	curies := object{{"name", "wp"}, {"href", "https://api.w.org/{rel}"}, {"templated", true}}
	return o.with("wp:post_type", types).with("curies", list{curies})
}

// embeddedTerms are the terms inside an event, by name. Their shape is the shape of
// the term object of PHP.
func (c *call) embeddedTerms(ids []int) list {
	var terms []*term
	for _, id := range ids {
		t := c.blog.terms[id]
		if t != nil {
			terms = append(terms, t)
		}
	}
	slices.SortFunc(terms, func(a, b *term) int { return cmp.Compare(fold(a.name), fold(b.name)) })
	out := list{}
	for _, t := range terms {
		d := tagDef
		if t.kind == categoryTaxonomy {
			d = categoryDef
		}
		out = append(out, object{
			{"name", t.name}, {"slug", t.slug},
			{"term_group", 0}, {"term_taxonomy_id", t.id},
			{"taxonomy", string(t.kind)},
			{"description", t.description},
			{"parent", t.parent},
			{"count", c.termCount(t.id)},
			{"filter", "raw"},
			{"id", t.id},
			{"urls", c.termURLs(d, t)},
		})
	}
	return out
}

// termIDs turns ids and slugs into ids.
func (c *call) termIDs(tax kind, name string) []int {
	var ids []int
	for _, s := range c.params.list(name) {
		// Polylang looks for a slug among the terms of the language, and for an id among all.
		t := c.blog.findTerm(tax, s)
		if t != nil && (s == itoa(t.id) || c.lang == nil || t.lang == c.lang) {
			ids = append(ids, t.id)
		}
	}
	return ids
}
