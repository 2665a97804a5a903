package sim

import (
	"net/url"
	"strings"
)

// outside answers for the rest of the REST API: the index of the root, and the routes of other plugins.
func (c *call) outside(path string) (*answer, error) {
	switch {
	case c.method == "OPTIONS":
		return &answer{status: 200, body: list{}}, nil
	case !c.reads():
		return nil, c.root.lang.noRoute()
	case path == "":
		c.allow = get
		return c.rootIndex()
	case path == "/pll/v1/languages" && c.site.opts.Languages.byParameter():
		c.allow = get
		return c.polylang()
	}
	return nil, c.root.lang.noRoute()
}

func (s *Site) namespaces() list {
	if s.opts.Languages.byParameter() {
		return list{"oembed/1.0", namespace, "pll/v1", "wp/v2"}
	}
	return list{"oembed/1.0", namespace, "wp/v2"}
}

// rootIndex is the index that discovery reads.
func (c *call) rootIndex() (*answer, error) {
	lang := c.root.lang
	_, seconds := c.now.In(lang.zone).Zone()
	return success(form("index", object{
		{"name", lang.Name}, {"tagline", lang.Tagline}, {"wordpress", c.wordpress()}, {"home", c.home()},
		{"offset", seconds / 3600}, {"zone", lang.zone.String()}, {"namespaces", c.site.namespaces()},
		{"authorization", c.wordpress() + "/wp-admin/authorize-application.php"},
	}))
}

// apiDoc is the OpenAPI document of the legacy without paths and schemas. The server has lost port and
// language, as the original has.
func (c *call) apiDoc() (*answer, error) {
	server := c.base()
	if u, err := url.Parse(server); err == nil {
		server = u.Scheme + "://" + u.Hostname() + u.Path
	}
	return success(form("doc", object{{"server", server + strings.TrimPrefix(c.restRoot(), c.home()) + namespace + "/"}}))
}
