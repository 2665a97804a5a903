package sim

// outside answers for the rest of the REST API: the index of the root, and what plugins and
// WordPress itself have.
func (c *call) outside(path string) (*answer, error) {
	if a, ok, err := c.wp(path); ok {
		return a, err
	}
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
		return list{"oembed/1.0", namespace, tecNamespace, "pll/v1", "wp/v2"}
	}
	return list{"oembed/1.0", namespace, tecNamespace, "wp/v2"}
}

// rootIndex is the index that discovery reads.
func (c *call) rootIndex() (*answer, error) {
	lang := c.root.lang
	_, seconds := c.now.In(lang.zone).Zone()
	application := object{{"authorization", c.wordpress() + "/wp-admin/authorize-application.php"}}
	body := object{
		{"name", lang.Name},
		{"description", lang.Tagline},
		{"url", c.wordpress()},
		{"home", c.home()},
		{"gmt_offset", seconds / 3600},
		{"timezone_string", lang.zone.String()},
		{"page_for_posts", 0},
		{"page_on_front", 0},
		{"show_on_front", "posts"},
		{"namespaces", c.site.namespaces()},
		{"authentication", object{{"application-passwords", object{{"endpoints", application}}}}},
		{"routes", object{{"/", object{{"namespace", ""}, {"methods", list{"GET"}}}}}},
		{"site_logo", 0},
		{"site_icon", 0},
		{"site_icon_url", ""},
		{"_links", object{{"help", list{object{{"href", "https://developer.wordpress.org/rest-api/"}}}}}},
	}
	return ok(body)
}
