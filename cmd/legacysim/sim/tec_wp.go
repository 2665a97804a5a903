package sim

import (
	"path"
	"regexp"
	"slices"
)

var wpRoute = regexp.MustCompile(`^/wp/v2/(tribe_events_cat|tags|media)(?:/(\d+))?$`)

// wp answers for terms and images with WordPress's own API. ok is false for a path
// that is neither's.
func (c *call) wp(route string) (a *answer, ok bool, err error) {
	m := wpRoute.FindStringSubmatch(route)
	if m == nil || m[1] == "media" && m[2] != "" {
		return nil, false, nil
	}
	if err := c.merge(params{}); err != nil {
		return nil, true, err
	}
	c.allow = get
	if m[1] == "media" {
		a, err = c.wpMedia()
		return a, true, err
	}
	d := tagDef
	if m[1] == categoryDef.restBase {
		d = categoryDef
	}
	a, err = c.wpTerms(d, m[2])
	return a, true, err
}

// wpMedia lists the requested images.
func (c *call) wpMedia() (*answer, error) {
	if !c.reads() {
		return nil, c.root.lang.noRoute()
	}
	wanted := c.params.ints("include")
	found := c.blog.all(imageKind, func(p *post) bool { return wanted == nil || slices.Contains(wanted, p.id) })
	p := c.wpPaging(len(found))
	items := list{}
	for _, image := range slice(found, p) {
		items = append(items, c.wpImage(image))
	}
	return wpList(items, p), nil
}

func (c *call) wpImage(p *post) object {
	f := p.file
	var sizes object
	for _, s := range c.renderSizes(f) {
		size := s.value.(object)
		sizes = sizes.with(s.name, object{
			{"file", path.Base(size[4].value.(string))}, {"width", size[0].value}, {"height", size[1].value},
			{"mime_type", size[2].value}, {"filesize", size[3].value}, {"source_url", size[4].value},
		})
	}
	sizes = sizes.with("full", object{
		{"file", path.Base(f.path)}, {"width", f.width}, {"height", f.height}, {"mime_type", f.mime}, {"source_url", c.uploadURL(f.path)},
	})
	return object{
		{"id", p.id}, {"slug", p.slug}, {"type", "attachment"}, {"media_type", "image"}, {"mime_type", f.mime},
		{"media_details", object{{"width", f.width}, {"height", f.height}, {"file", f.path}, {"filesize", f.bytes}, {"sizes", sizes}}},
		{"source_url", c.uploadURL(f.path)},
	}
}

// wpTerm is the record of a term. Only what has a hierarchy has a parent.
func (c *call) wpTerm(d termDef, t *term) object {
	o := object{
		{"id", t.id}, {"count", c.termCount(t.id)}, {"description", t.description}, {"link", c.termPage(t)},
		{"name", t.name}, {"slug", t.slug}, {"taxonomy", string(t.taxonomy)},
	}
	if d.taxonomy == categoryTaxonomy {
		o = o.with("parent", t.parent)
	}
	return o.with("meta", list{}).with("_links", c.termLinks(d, t))
}

func (c *call) wpTerms(d termDef, id string) (*answer, error) {
	t := c.blog.terms[atoi(id)]
	if t != nil && t.taxonomy != d.taxonomy {
		t = nil
	}
	switch {
	case id != "" && t == nil:
		return nil, &apiError{status: 404, code: "rest_term_invalid", message: "Term does not exist."}
	case c.reads() && t != nil:
		return ok(c.wpTerm(d, t))
	case c.reads():
		return c.wpTermList(d)
	case !d.mayWrite(c):
		return nil, c.forbidden()
	}
	c.params["id"] = id
	return c.wpTermWrite(d, t)
}

func (c *call) wpTermList(d termDef) (*answer, error) {
	if c.params.int("per_page") > 100 {
		return nil, c.root.lang.invalidParams([]paramFault{{name: "per_page", message: c.root.lang.text(msgInvalidOne)}})
	}
	if !c.params.given("hide_empty") {
		c.params["hide_empty"] = false
	}
	found := d.found(c)
	p := c.wpPaging(len(found))
	items := list{}
	for _, t := range slice(found, p) {
		items = append(items, c.wpTerm(d, t))
	}
	return wpList(items, p), nil
}

// wpTermWrite makes, changes or deletes a term. There is no trash for terms.
func (c *call) wpTermWrite(d termDef, t *term) (*answer, error) {
	switch {
	case t == nil && c.method == "POST":
		a, err := d.create(c)
		if err == nil {
			a.body = c.wpTerm(d, c.blog.terms[c.blog.lastTerm])
		}
		return a, err
	case t != nil && c.method == "DELETE":
		if !c.params.bool("force") {
			return nil, &apiError{status: 501, code: "rest_trash_not_supported", message: "Terms do not support trashing. Set 'force=true' to delete."}
		}
		before := c.wpTerm(d, t)
		if _, err := d.remove(c); err != nil {
			return nil, err
		}
		return ok(object{{"deleted", true}, {"previous", before}})
	case t != nil:
		if _, err := d.update(c); err != nil {
			return nil, err
		}
		return ok(c.wpTerm(d, t))
	}
	return nil, c.root.lang.noRoute()
}
