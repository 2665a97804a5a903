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

// wpPage is the query for another page. The number keeps its place. A plus is not escaped, and an empty value
// has no equals sign.
func (q query) wpPage(n int) string {
	q = slices.Clone(q)
	index := slices.IndexFunc(q, func(p pair) bool { return p.name == "page" })
	if index < 0 {
		index = len(q)
		q = append(q, pair{name: "page"})
	}
	q[index].value = itoa(n)
	return q.join(func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "%2B", "+") })
}

// pageQuery is the query of the request for the links to other pages: the parameters that are declared are
// written as PHP has read them, and a false one is dropped. A false flag of WordPress itself leaves the name.
func (c *call) pageQuery() query {
	var out query
	for part := range strings.SplitSeq(c.http.URL.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		name = unescape(name)
		value = unescape(value)
		base, _, _ := strings.Cut(name, "[")
		v := c.query[base]
		switch declared := c.declared(base); {
		case base == "", base == "rest_route":
		case declared == nil:
			out = append(out, pair{name: name, value: value})
		case declared == "integer":
			n, _ := positive(v)
			out = append(out, pair{name: base, value: itoa(n)})
		case declared == "boolean" && phpTrue(v), declared == "flag" && c.params.bool(base):
			out = append(out, pair{name: base, value: "1"})
		case declared == "flag":
			out = append(out, pair{name: base, value: ""})
		case declared == "array" && !slices.ContainsFunc(out, func(p pair) bool { return strings.HasPrefix(p.name, base+"[") }):
			for i, item := range stringList(v) {
				out = append(out, pair{name: base + "[" + itoa(i) + "]", value: item})
			}
		}
	}
	return out
}

// declared is the type of a parameter of a list; nil for undeclared and text parameters.
func (c *call) declared(name string) any {
	for _, a := range c.route.endpoint("GET").args {
		if a.name == name && a.schema.get("type") != "string" {
			return a.schema.get("type")
		}
	}
	return nil
}

const wpNamespace = "wp/v2"

// The orders in which WordPress sorts images and terms.
var (
	wpMediaOrders = []string{"author", "date", "id", "include", "modified", "parent", "relevance", "slug", "include_slugs", "title"}
	wpTermOrders  = []string{"id", "include", "name", "slug", "include_slugs", "term_group", "description", "count"}
)

// wpRoutes are the routes of WordPress's own API that the successor leaves terms and images to.
func wpRoutes() []route {
	wp := func(pattern string, endpoints ...endpoint) route {
		return route{namespace: wpNamespace, pattern: "/" + pattern, endpoints: endpoints}
	}
	table := []route{
		wp("media", endpoint{methods: get, args: wpArgs(wpMediaOrders), run: (*call).wpMediaList}),
		wp("media/"+idPattern, endpoint{methods: get, run: (*call).wpMedia}),
	}
	for _, d := range []termDef{categoryDef, tagDef} {
		table = append(table, wp(d.restBase,
			endpoint{methods: get, args: wpArgs(wpTermOrders), run: d.wpList},
			endpoint{methods: create, args: []arg{{name: "name", required: true}}, may: d.mayCreate, run: d.wpCreate},
		), wp(d.restBase+"/"+idPattern,
			endpoint{methods: get, run: d.withTerm(d.wpRead)},
			endpoint{methods: []string{"POST", "PUT", "PATCH"}, may: d.mayTry, run: d.withTerm(d.wpUpdate)},
			endpoint{methods: remove, may: d.mayTry, run: d.withTerm(d.wpRemove)},
		))
	}
	return table
}

// wpArgs are the parameters of a list that are checked, and one that counts as declared.
func wpArgs(orders []string) []arg {
	const bounds = "per_page must be between 1 (inclusive) and 100 (inclusive)"
	last := len(orders) - 1
	enum := "orderby is not one of " + strings.Join(orders[:last], ", ") + ", and " + orders[last] + "."
	objection := func(code, message string, passes func(any) bool) check {
		return func(_ *call, v any) error {
			if passes(v) {
				return nil
			}
			return &apiError{status: 400, code: code, message: message}
		}
	}
	return []arg{
		{name: "per_page", check: objection("rest_out_of_bounds", bounds, func(v any) bool {
			n, ok := positive(v)
			return ok && n <= 100
		})},
		{name: "orderby", check: objection("rest_not_in_enum", enum, func(v any) bool {
			return v == "" || slices.Contains(orders, scalar(v))
		})},
		{name: "hide_empty", schema: object{{"type", "flag"}}},
	}
}

// wpMedia shows an image.
func (c *call) wpMedia() (*answer, error) {
	image := c.blog.find(imageKind, c.params.int("id"))
	if image == nil {
		c.allow = nil
		return nil, refusal(404, "rest_post_invalid_id", "Invalid post ID.")
	}
	link := object{{"Link", "<" + c.imagePage(image) + `>; rel="alternate"; type=text/html`}}
	return &answer{status: 200, body: c.wpImage(image), headers: link}, nil
}

// wpMediaList lists images, the newest first.
func (c *call) wpMediaList() (*answer, error) {
	ids := c.params.ints("include")
	slugs := c.params.list("slug")
	posts := c.blog.selectPosts(imageKind, func(p *post) bool {
		return (ids == nil || slices.Contains(ids, p.id)) && (slugs == nil || slices.Contains(slugs, slugify(imageName(p))))
	})
	slices.SortFunc(posts, newestFirst)
	p := c.paging(len(posts), math.MaxInt)
	if p.beyond() {
		const message = "The page number requested is larger than the number of pages available."
		return nil, refusal(400, "rest_post_invalid_page_number", message)
	}
	return c.wpList(each(slice(posts, p), c.wpImage), p, wpNamespace+"/media", c.pageQuery()), nil
}

func (c *call) imagePage(p *post) string { return c.home() + "/" + imageName(p) + "/" }

// imageName is the title of an image: the name of its file.
func imageName(p *post) string {
	return strings.TrimSuffix(path.Base(p.file.Path), path.Ext(p.file.Path))
}

func (c *call) wpImage(p *post) object {
	zone := c.root.lang.zone
	f := p.file
	id := itoa(p.id)
	name := imageName(p)
	url := c.uploadURL(f.Path)
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
		size := s.Value.(object)
		sizes = sizes.with(s.Name, object{
			{"file", path.Base(size[4].Value.(string))}, {"width", size[0].Value}, {"height", size[1].Value},
			{"filesize", size[3].Value}, {"mime_type", size[2].Value}, {"source_url", size[4].Value},
		})
	}
	return sizes.with("full", object{
		{"file", path.Base(f.Path)}, {"width", f.Width}, {"height", f.Height}, {"mime_type", f.Mime}, {"source_url", c.uploadURL(f.Path)},
	})
}

// wpTerm is the record of a term. Only a taxonomy with a hierarchy has parents.
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

// mayTry lets everybody try a term that does not exist: the endpoint reports that.
func (d termDef) mayTry(c *call) bool { return d.target(c) == nil || d.mayEdit(c) }

// withTerm runs an endpoint for a term that there is.
func (d termDef) withTerm(run func(*call, *term) (*answer, error)) func(*call) (*answer, error) {
	return func(c *call) (*answer, error) {
		if t := d.target(c); t != nil {
			return run(c, t)
		}
		c.allow = nil
		return nil, refusal(404, "rest_term_invalid", "Term does not exist.")
	}
}

func (d termDef) wpRead(c *call, t *term) (*answer, error) { return success(c.linkedTerm(d, t)) }

// wpList includes terms without items, unless the request excludes them. A page
// past the end is empty.
func (d termDef) wpList(c *call) (*answer, error) {
	if c.params.isGiven("post") && c.blog.post(c.params.int("post")) == nil {
		c.allow = nil
		return nil, refusal(400, "rest_post_invalid_id", "Invalid post ID.")
	}
	if !c.params.isGiven("hide_empty") {
		c.params["hide_empty"] = false
	}
	if d.taxonomy == tagTaxonomy {
		delete(c.params, "parent")
	}
	terms := d.selectTerms(c)
	p := c.paging(len(terms), math.MaxInt)
	items := each(slice(terms, p), func(t *term) object { return c.linkedTerm(d, t) })
	return c.wpList(items, p, wpNamespace+"/"+d.restBase, c.pageQuery()), nil
}

func (d termDef) wpCreate(c *call) (*answer, error) {
	a, err := d.create(c)
	if err == nil {
		a.body = c.linkedTerm(d, c.blog.terms[c.blog.lastTerm])
	}
	return a, err
}

func (d termDef) wpUpdate(c *call, t *term) (*answer, error) {
	if _, err := d.update(c); err != nil {
		return nil, err
	}
	if c.params.isGiven("description") { // the legacy API ignores an empty description
		t.description = c.params.str("description")
	}
	return success(c.linkedTerm(d, t))
}

// wpRemove wants force: there is no trash for terms.
func (d termDef) wpRemove(c *call, t *term) (*answer, error) {
	if !c.params.bool("force") {
		return nil, refusal(501, "rest_trash_not_supported", "Terms do not support trashing. Set 'force=true' to delete.")
	}
	previous := c.wpTerm(d, t)
	if _, err := d.remove(c); err != nil {
		return nil, err
	}
	c.allow = nil
	return success(object{{"deleted", true}, {"previous", previous}})
}
