package sim

import (
	"math"
	"net/url"
	"path"
	"slices"
	"strings"
)

// wpList is a plain list, counted in the header, with links to the pages beside it.
func (c *call) wpList(items list, p paging, path string, q query) *answer {
	a := &answer{status: 200, body: items, headers: p.counts("X-WP")}
	link := func(page int, rel string) string {
		return "<" + c.restLink(path+"?"+q.wpPage(page)) + `>; rel="` + rel + `"`
	}
	var links []string
	if p.page < p.pages {
		links = append(links, link(p.page+1, "next"))
	}
	if p.page > 1 && p.pages > 0 {
		links = append(links, link(min(p.page-1, p.pages), "prev"))
	}
	if links != nil {
		a.headers = a.headers.with("Link", strings.Join(links, ", "))
	}
	return a
}

// wpPage is the query for another page. The number stays where it is. A plus is not
// escaped, and of an empty value no sign is left.
func (q query) wpPage(n int) string {
	q = slices.Clone(q)
	at := slices.IndexFunc(q, func(p pair) bool { return p.name == "page" })
	if at < 0 {
		at, q = len(q), append(q, pair{name: "page"})
	}
	q[at].value = itoa(n)
	return q.join(func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "%2B", "+") })
}

// pageQuery is the query of the request for the links to other pages: the parameters that
// are declared are written as PHP has read them, and a false one is dropped. WordPress's own
// leaves its name.
func (c *call) pageQuery() query {
	var out query
	for part := range strings.SplitSeq(c.http.URL.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		name, value = unescape(name), unescape(value)
		base, _, _ := strings.Cut(name, "[")
		v := c.query[base]
		switch declared := c.declared(base); {
		case base == "", base == "rest_route":
		case declared == nil:
			out = append(out, pair{name, value})
		case declared == "integer":
			n, _ := positive(v)
			out = append(out, pair{base, itoa(n)})
		case declared == "boolean" && phpTrue(v):
			out = append(out, pair{base, "1"})
		case declared == "flag":
			out = append(out, pair{base, map[bool]string{true: "1"}[c.params.bool(base)]})
		case declared == "array" && !slices.ContainsFunc(out, func(p pair) bool { return strings.HasPrefix(p.name, base+"[") }):
			for i, item := range stringList(v) {
				out = append(out, pair{base + "[" + itoa(i) + "]", item})
			}
		}
	}
	return out
}

// declared is the type of a parameter of a list; nil for none.
func (c *call) declared(name string) any {
	if c.route == nil && name == "hide_empty" {
		return "flag"
	} else if c.route == nil {
		return nil
	}
	for _, a := range c.route.endpoint("GET").args {
		if a.name == name && a.schema.get("type") != "string" {
			return a.schema.get("type")
		}
	}
	return nil
}

// wpMediaOrders are what WordPress sorts images by.
var wpMediaOrders = []string{"author", "date", "id", "include", "modified", "parent", "relevance", "slug", "include_slugs", "title"}

// wpMedia lists images, the newest first, or shows one.
func (c *call) wpMedia(id string) (*answer, error) {
	if !c.reads() {
		return nil, c.root.lang.noRoute()
	}
	if id != "" {
		image := c.blog.find(imageKind, atoi(id))
		if image == nil {
			return nil, refusal(404, "rest_post_invalid_id", "Invalid post ID.")
		}
		c.allow = get
		link := object{{"Link", "<" + c.imagePage(image) + `>; rel="alternate"; type=text/html`}}
		return &answer{status: 200, body: c.wpImage(image), headers: link}, nil
	}
	c.allow = get
	if err := c.wpFaults(wpMediaOrders); err != nil {
		return nil, err
	}
	wanted, slugs := c.params.ints("include"), c.params.list("slug")
	found := c.blog.all(imageKind, func(p *post) bool {
		return (wanted == nil || slices.Contains(wanted, p.id)) && (slugs == nil || slices.Contains(slugs, slugify(imageName(p))))
	})
	slices.SortFunc(found, newestFirst)
	p := c.paging(len(found), math.MaxInt)
	if p.beyond() {
		const message = "The page number requested is larger than the number of pages available."
		return nil, refusal(400, "rest_post_invalid_page_number", message)
	}
	return c.wpList(each(slice(found, p), c.wpImage), p, "wp/v2/media", c.pageQuery()), nil
}

func (c *call) imagePage(p *post) string { return c.home() + "/" + imageName(p) + "/" }

// imageName is the title of an image: the name of its file.
func imageName(p *post) string {
	return strings.TrimSuffix(path.Base(p.file.Path), path.Ext(p.file.Path))
}

func (c *call) wpImage(p *post) object {
	zone, f, id := c.root.lang.zone, p.file, itoa(p.id)
	name, url := imageName(p), c.uploadURL(f.Path)
	return form("image", object{
		{"id", p.id}, {"date", p.date.In(zone).Format(tecTime)}, {"date_gmt", p.date.UTC().Format(tecTime)},
		{"modified", p.modified.In(zone).Format(tecTime)}, {"modified_gmt", p.modified.UTC().Format(tecTime)},
		{"slug", slugify(name)}, {"link", c.imagePage(p)}, {"name", name}, {"author", p.author},
		{"classes", list{"post-" + id, "attachment", "type-attachment", "status-inherit", "hentry"}},
		{"text", `<p class="attachment"><a href='` + url + `'><img src="` + url + `" alt="" /></a></p>` + "\n"},
		{"mime", f.Mime}, {"width", f.Width}, {"height", f.Height}, {"file", f.Path}, {"bytes", f.Bytes},
		{"sizes", c.mediaSizes(f)}, {"url", url},
		{"self", c.restLink("wp/v2/media/" + id)}, {"media", c.restLink("wp/v2/media")},
		{"type", c.restLink("wp/v2/types/attachment")}, {"user", c.restLink("wp/v2/users/" + itoa(p.author))},
		{"comments", c.restLink("wp/v2/comments?post=" + id)},
	})
}

// mediaSizes are the sizes of an image in WordPress's own API, and the image itself.
func (c *call) mediaSizes(f *imageData) (sizes object) {
	for _, s := range c.renderSizes(f) {
		size := s.value.(object)
		sizes = sizes.with(s.name, object{
			{"file", path.Base(size[4].value.(string))}, {"width", size[0].value}, {"height", size[1].value},
			{"filesize", size[3].value}, {"mime_type", size[2].value}, {"source_url", size[4].value},
		})
	}
	return sizes.with("full", object{
		{"file", path.Base(f.Path)}, {"width", f.Width}, {"height", f.Height}, {"mime_type", f.Mime}, {"source_url", c.uploadURL(f.Path)},
	})
}

// wpTermOrders are what WordPress sorts terms by.
var wpTermOrders = []string{"id", "include", "name", "slug", "include_slugs", "term_group", "description", "count"}

// wpTerm is the record of a term. Only what has a hierarchy has a parent.
func (c *call) wpTerm(d termDef, t *term) object {
	o := object{
		{"id", t.id}, {"count", c.termCount(t.id)}, {"description", t.description}, {"link", c.termPage(t)},
		{"name", t.name}, {"slug", t.slug}, {"taxonomy", string(t.kind)},
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
	case d.mayEdit(c) && id != "":
		c.allow = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	case d.mayEdit(c):
		c.allow = []string{"GET", "POST"}
	}
	switch {
	case c.reads() && t != nil:
		return ok(c.linkedTerm(d, t))
	case c.reads():
		return c.wpTermList(d)
	case t == nil && !c.params.given("name"):
		return nil, c.root.lang.missingParams([]string{"name"})
	case !d.mayEdit(c):
		e := c.forbidden().(*apiError)
		e.code, e.message = "rest_cannot_create", "Sorry, you are not allowed to create terms in this taxonomy."
		return nil, e
	}
	c.params["id"] = id
	return c.wpTermWrite(d, t)
}

// wpTermList includes terms that nothing has, unless the request wants none of them. A page
// past the end is empty.
func (c *call) wpTermList(d termDef) (*answer, error) {
	if err := c.wpFaults(wpTermOrders); err != nil {
		return nil, err
	}
	if c.params.given("post") && c.blog.post(c.params.int("post")) == nil {
		c.allow = nil
		return nil, refusal(400, "rest_post_invalid_id", "Invalid post ID.")
	}
	if !c.params.given("hide_empty") {
		c.params["hide_empty"] = false
	}
	if d.taxonomy == tagTaxonomy {
		delete(c.params, "parent")
	}
	found := d.found(c)
	p := c.paging(len(found), math.MaxInt)
	items := each(slice(found, p), func(t *term) object { return c.linkedTerm(d, t) })
	return c.wpList(items, p, "wp/v2/"+d.restBase, c.pageQuery()), nil
}

// wpTermWrite makes, changes or deletes a term. There is no trash for terms.
func (c *call) wpTermWrite(d termDef, t *term) (*answer, error) {
	switch {
	case t == nil:
		a, err := d.create(c)
		if err == nil {
			a.body = c.linkedTerm(d, c.blog.terms[c.blog.lastTerm])
		}
		return a, err
	case c.method == "DELETE":
		if !c.params.bool("force") {
			return nil, refusal(501, "rest_trash_not_supported", "Terms do not support trashing. Set 'force=true' to delete.")
		}
		before := c.wpTerm(d, t)
		if _, err := d.remove(c); err != nil {
			return nil, err
		}
		c.allow = nil
		return ok(object{{"deleted", true}, {"previous", before}})
	}
	if _, err := d.update(c); err != nil {
		return nil, err
	}
	if c.params.given("description") { // the legacy API leaves it alone where it is empty
		t.description = c.params.str("description")
	}
	return ok(c.linkedTerm(d, t))
}

// wpFaults are what WordPress has against the parameters of a list.
func (c *call) wpFaults(orders []string) error {
	var faults []paramFault
	if n, ok := positive(c.params["per_page"]); c.params.given("per_page") && (!ok || n > 100) {
		const text = "per_page must be between 1 (inclusive) and 100 (inclusive)"
		faults = append(faults, paramFault{"per_page", "rest_out_of_bounds", text, nil})
	}
	if by := c.params.str("orderby"); by != "" && !slices.Contains(orders, by) {
		last := len(orders) - 1
		text := "orderby is not one of " + strings.Join(orders[:last], ", ") + ", and " + orders[last] + "."
		faults = append(faults, paramFault{"orderby", "rest_not_in_enum", text, nil})
	}
	if faults != nil {
		return c.root.lang.invalidParams(faults)
	}
	return nil
}
