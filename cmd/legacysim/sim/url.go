package sim

import (
	"net/url"
)

// namespace is the vendor's, and what a facade hides.
const namespace = "tribe/events/v1"

func (c *call) base() string { return c.site.base(c.http) }

// home is the start page of the language, without a slash at the end.
func (c *call) home() string { return c.base() + c.root.lang.prefix }

func (c *call) restRoot() string { return c.home() + "/wp-json/" }

// restURL is an address in the namespace, such as events/12.
func (c *call) restURL(path string) string { return c.restRoot() + namespace + "/" + path }

// globalID has neither scheme nor port, but the language.
func (c *call) globalID(id int) string {
	host := c.base()
	if u, err := url.Parse(host); err == nil {
		host = u.Hostname()
	}
	return host + c.root.lang.prefix + "?id=" + itoa(id)
}

// permalink is the page of a post. Only what is published, or private, has a
// speaking one.
func (c *call) permalink(p *post) string {
	if p.status != "publish" && p.status != "private" {
		return c.home() + "/?post_type=" + string(p.kind) + "&p=" + itoa(p.id)
	}
	pages := c.root.lang.pages
	first := map[kind]string{eventKind: pages.event, venueKind: pages.venue, organizerKind: pages.organizer}[p.kind]
	return c.home() + "/" + first + "/" + p.slug + "/"
}

// termPage is the archive page of a term; a category's has its ancestors.
func (c *call) termPage(t *term) string {
	pages := c.root.lang.pages
	if t.taxonomy == tagTaxonomy {
		return c.home() + "/" + pages.tag + "/" + t.slug + "/"
	}
	path := t.slug
	for up := c.blog.terms[t.parent]; up != nil; up = c.blog.terms[up.parent] {
		path = up.slug + "/" + path
	}
	return c.home() + "/" + pages.events + "/" + pages.category + "/" + path + "/"
}

func (c *call) uploadURL(path string) string { return c.base() + "/wp-content/uploads/" + path }
