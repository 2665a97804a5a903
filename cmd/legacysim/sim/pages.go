package sim

import (
	"fmt"
	"html"
	"net/http"
	"strings"
)

// page serves what stands for the ordinary pages of the site. They are there
// for their headers, by which clients discover the API.
func (c *call) page(w http.ResponseWriter) {
	plain := c.site.opts.Setup.Plain
	if (plain || c.query.given("rest_route")) && !strings.HasSuffix(c.http.URL.Path, "/") {
		set(w.Header(), "Content-Type", "text/html; charset=UTF-8")
		set(w.Header(), "X-Redirect-By", "WordPress")
		set(w.Header(), "Location", strings.TrimSuffix(c.site.base(c.http)+c.http.URL.EscapedPath()+"/?"+c.http.URL.RawQuery, "?"))
		w.WriteHeader(http.StatusMovedPermanently)
		return
	}
	c.site.mu.RLock()
	defer c.site.mu.RUnlock()
	c.blog = c.site.blogs[c.root.lang.code]
	title, api, shown := c.findPage()
	h := w.Header()
	set(h, "Content-Type", "text/html; charset=UTF-8")
	if title == "" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	set(h, "Link", "<"+c.restRoot()+`>; rel="https://api.w.org/"`)
	switch v := shown.(type) {
	case *post:
		h["Link"] = append(h["Link"], c.alternate(string(v.kind), v.id), fmt.Sprintf(`<%s/?p=%d>; rel=shortlink`, c.home(), v.id))
	case *term:
		h["Link"] = append(h["Link"], c.alternate(string(v.taxonomy), v.id))
	}
	set(h, "X-TEC-API-VERSION", "v1")
	set(h, "X-TEC-API-ROOT", c.restURL(api))
	set(h, "X-TEC-API-ORIGIN", c.home())
	if c.http.Method != http.MethodHead {
		_, _ = fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=%q>\n<title>%s</title>\n", c.root.lang.locale, html.EscapeString(title))
	}
}

// alternate links to the record in the REST API of WordPress itself.
func (c *call) alternate(path string, id int) string {
	return fmt.Sprintf(`<%swp/v2/%s/%d>; rel="alternate"; title="JSON"; type="application/json"`, c.restRoot(), path, id)
}

// findPage returns an empty title where there is no page; what it shows is a
// *post, a *term or nothing.
func (c *call) findPage() (title, api string, shown any) {
	lang := c.root.lang
	parts := strings.Split(strings.Trim(c.root.path, "/"), "/")
	last := parts[len(parts)-1]
	switch {
	case parts[0] == "", c.site.opts.Setup.Plain: // which knows no other path
		return lang.name, "", nil
	case parts[0] == lang.pages.events && len(parts) == 1:
		return lang.name, "", nil
	case parts[0] == lang.pages.events && parts[1] == lang.pages.category && len(parts) > 2:
		if t := c.blog.findTerm(categoryTaxonomy, last); t != nil {
			return t.name, "events/?categories=" + t.slug, t
		}
	case parts[0] == lang.pages.event && len(parts) == 2:
		if e := c.blog.withSlug(eventKind, slugify(last)); e != nil && e.status == "publish" {
			return e.title, "events/" + itoa(e.id), e
		}
	}
	return "", "", nil
}
