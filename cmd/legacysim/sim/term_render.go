package sim

import (
	"cmp"
	"slices"
)

// renderTerm is the record of a term; _links come with a single one that is
// still there.
func (c *call) renderTerm(d termDef, t *term) object {
	o := object{
		{"id", t.id},
		{"count", c.termCount(t.id)},
		{"description", t.description},
		{"name", c.translated(t.name)},
		{"slug", t.slug},
		{"taxonomy", string(t.taxonomy)},
	}
	if d.taxonomy == categoryTaxonomy {
		o = o.with("parent", t.parent)
	}
	return append(o, object{{"meta", list{}}, {"url", c.termPage(t)}, {"urls", c.termURLs(d, t)}}...)
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
	allow := get
	if d.mayWrite(c) {
		allow = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	}
	href := func(path string) object { return object{{"href", c.restLink(wp + path)}} }
	o := object{
		{"self", list{href(d.restBase+"/"+itoa(t.id)).with("targetHints", object{{"allow", listOf(allow)}})}},
		{"collection", list{href(d.restBase)}},
		{"about", list{href("taxonomies/" + string(t.taxonomy))}},
	}
	if t.parent != 0 {
		o = o.with("up", list{object{{"embeddable", true}, {"href", c.restLink(wp + d.restBase + "/" + itoa(t.parent))}}})
	}
	types := each(d.types, func(postType string) object { return href(postType + "?" + d.restBase + "=" + itoa(t.id)) })
	curies := object{{"name", "wp"}, {"href", "https://api.w.org/{rel}"}, {"templated", true}}
	return o.with("wp:post_type", types).with("curies", list{curies})
}

// embeddedTerms are the terms inside an event, by name. Their shape is that of
// the term object of PHP.
func (c *call) embeddedTerms(ids []int) list {
	var terms []*term
	for _, id := range ids {
		if t := c.blog.terms[id]; t != nil {
			terms = append(terms, t)
		}
	}
	slices.SortFunc(terms, func(a, b *term) int { return cmp.Compare(fold(a.name), fold(b.name)) })
	out := list{}
	for _, t := range terms {
		d := tagDef
		if t.taxonomy == categoryTaxonomy {
			d = categoryDef
		}
		out = append(out, object{
			{"name", c.translated(t.name)}, {"slug", t.slug},
			{"term_group", 0}, {"term_taxonomy_id", t.id},
			{"taxonomy", string(t.taxonomy)},
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
