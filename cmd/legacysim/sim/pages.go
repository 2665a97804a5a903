package sim

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
)

// page serves a stand-in for the start page of each language, with the headers by which clients discover the
// API. There are no other pages.
func (c *call) page(w http.ResponseWriter) {
	isStart := strings.Trim(c.root.path, "/") == "" || c.site.opts.Setup.Plain // which knows no other path
	h := w.Header()
	set(h, "Content-Type", "text/html; charset=UTF-8")
	if !isStart {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	set(h, "Link", "<"+c.restRoot()+`>; rel="https://api.w.org/"`)
	set(h, "X-TEC-API-VERSION", "v1")
	set(h, "X-TEC-API-ROOT", c.restURL(""))
	set(h, "X-TEC-API-ORIGIN", c.home())
	if c.http.Method != http.MethodHead {
		lang := c.root.lang
		_, _ = fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=%q>\n<title>%s</title>\n", lang.Locale, html.EscapeString(lang.Name))
		for _, l := range c.site.languages {
			_, _ = fmt.Fprintf(w, "<link rel=\"alternate\" hreflang=%q href=\"%s/\">\n", l.code, c.base()+l.prefix)
		}
	}
}

// base is the start page of the site, without a slash at the end.
func (c *call) base() string { return c.site.base(c.http) + c.site.opts.Setup.directory() }

// wordpress is the directory of WordPress's own files.
func (c *call) wordpress() string { return c.site.base(c.http) + c.site.opts.Setup.files() }

// home is the start page of the language, without a slash at the end.
func (c *call) home() string { return c.base() + c.root.lang.prefix }

// restRoot is the REST root of the language. Polylang has one root for all languages (recordings
// polylang/mixed/shown-home-es-head and polylang/es/plain-home-es-head).
func (c *call) restRoot() string {
	home := c.home()
	if c.site.opts.Languages.byParameter() {
		home = c.base()
	}
	if c.site.opts.Setup.Plain {
		return home + plainRoot + "/"
	}
	return home + c.site.opts.Setup.prefix() + "/"
}

// restLink is an address below the REST root, such as wp/v2/posts?tags=5. Where permalinks
// are plain, the route is percent-encoded if there is a query, even an empty one.
func (c *call) restLink(path string) string {
	route, query, hasQuery := strings.Cut(path, "?")
	if query != "" {
		query = "&" + query
	}
	switch {
	case hasQuery && c.site.opts.Setup.Plain:
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

// homeOf is the start page of an item's language, above the page of the item.
func (c *call) homeOf(lang *language) string {
	mode := c.site.opts.Languages
	if mode == Apart || mode.oneItem() {
		return c.home()
	}
	return c.base() + lang.prefix
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
	pages := c.root.lang.Pages
	first := map[kind]string{eventKind: pages.Event, venueKind: pages.Venue, organizerKind: pages.Organizer}[p.kind]
	return c.homeOf(p.lang) + "/" + first + "/" + p.slug + "/"
}

// termPage is the archive page of a term; the path of a category has the ancestors.
func (c *call) termPage(t *term) string {
	if c.site.opts.Setup.Plain {
		return c.plainPage(t.lang, strings.TrimPrefix(string(t.kind), "post_"), t.slug)
	}
	pages := c.root.lang.Pages
	home := c.homeOf(t.lang)
	if t.kind == tagTaxonomy {
		return home + "/" + pages.Tag + "/" + t.slug + "/"
	}
	path := t.slug
	for up := c.blog.terms[t.parent]; up != nil; up = c.blog.terms[up.parent] {
		path = up.slug + "/" + path
	}
	return home + "/" + pages.Events + "/" + pages.Category + "/" + path + "/"
}

// plainPage is the page of an item where permalinks are plain.
func (c *call) plainPage(lang *language, name, slug string) string {
	return c.homeOf(lang) + "/?" + name + "=" + slug
}

func (c *call) uploadURL(path string) string { return c.wordpress() + "/wp-content/uploads/" + path }
