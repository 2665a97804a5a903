package sim

import (
	"net/url"
	"strings"
)

// namespace is the vendor's, and what a facade hides.
const namespace = "tribe/events/v1"

// base is the start page of the site, without a slash at the end.
func (c *call) base() string { return c.site.base(c.http) + c.site.opts.Setup.directory() }

// wordpress is the directory of WordPress's own files.
func (c *call) wordpress() string { return c.site.base(c.http) + c.site.opts.Setup.files() }

// home is the start page of the language, without a slash at the end.
func (c *call) home() string { return c.base() + c.root.lang.prefix }

func (c *call) restRoot() string {
	if c.site.opts.Setup.Plain {
		return c.home() + plainRoot + "/"
	}
	return c.home() + c.site.opts.Setup.prefix() + "/"
}

// restLink is an address below the REST root, such as wp/v2/posts?tags=5. Where permalinks
// are plain, the route is percent-encoded if there is a query, even an empty one.
func (c *call) restLink(path string) string {
	route, query, found := strings.Cut(path, "?")
	if query != "" {
		query = "&" + query
	}
	switch {
	case found && c.site.opts.Setup.Plain:
		return c.home() + plainRoot + url.QueryEscape("/"+route) + query
	case query == "":
		return c.restRoot() + route
	}
	return c.restRoot() + path
}

// restURL is an address in the namespace, such as events/12.
func (c *call) restURL(path string) string { return c.restLink(namespace + "/" + path) }

// globalID has neither scheme nor port, but the language.
func (c *call) globalID(id int) string {
	host := c.base()
	if u, err := url.Parse(host); err == nil {
		host = u.Hostname() + u.Path
	}
	return host + c.root.lang.prefix + "?id=" + itoa(id)
}

// homeOf is the start page of an item's language, which its page is below.
func (c *call) homeOf(lang *language) string {
	switch mode := c.site.opts.Languages; {
	case mode == Apart, mode.oneItem():
		return c.home()
	case lang == nil:
		return c.base()
	}
	return c.base() + lang.prefix
}

// pagesOf are the first segments of the pages of an item.
func (c *call) pagesOf(lang *language) pageNames {
	if c.site.opts.Languages == Fallback {
		return lang.pages
	}
	return c.root.lang.pages
}

// permalink is the page of a post. Only a published or private post has a
// speaking one.
func (c *call) permalink(p *post) string {
	if p.status != "publish" && p.status != "private" {
		return c.homeOf(p.lang) + "/?post_type=" + string(p.kind) + "&p=" + itoa(p.id)
	}
	if c.site.opts.Setup.Plain {
		return c.plainPage(p.lang, string(p.kind), p.slug)
	}
	pages := c.pagesOf(p.lang)
	first := map[kind]string{eventKind: pages.event, venueKind: pages.venue, organizerKind: pages.organizer}[p.kind]
	return c.homeOf(p.lang) + "/" + first + "/" + p.slug + "/"
}

// termPage is the archive page of a term; a category's has its ancestors.
func (c *call) termPage(t *term) string {
	if c.site.opts.Setup.Plain {
		return c.plainPage(t.lang, strings.TrimPrefix(string(t.taxonomy), "post_"), t.slug)
	}
	pages, home := c.pagesOf(t.lang), c.homeOf(t.lang)
	if t.taxonomy == tagTaxonomy {
		return home + "/" + pages.tag + "/" + t.slug + "/"
	}
	path := t.slug
	for up := c.blog.terms[t.parent]; up != nil; up = c.blog.terms[up.parent] {
		path = up.slug + "/" + path
	}
	return home + "/" + pages.events + "/" + pages.category + "/" + path + "/"
}

// plainPage is the page of an item where permalinks are plain.
func (c *call) plainPage(lang *language, name, slug string) string {
	return c.homeOf(lang) + "/?" + name + "=" + slug
}

func (c *call) uploadURL(path string) string { return c.wordpress() + "/wp-content/uploads/" + path }
