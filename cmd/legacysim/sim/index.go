package sim

import "strings"

// describe is the entry of a route in the index, and what OPTIONS answers.
func (rt *route) describe(c *call) object {
	var methods, endpoints list
	for _, e := range rt.endpoints {
		methods = append(methods, listOf(e.methods)...)
		var args object
		for _, a := range e.args {
			args = args.with(a.name, a.describeFor(c, rt.noun))
		}
		if c.site.opts.Languages.declares() {
			args = args.with(languageArg, describeLanguageArg())
		}
		endpoints = append(endpoints, object{{"methods", listOf(e.methods)}, {"args", args}})
	}
	o := object{{"namespace", namespace}, {"methods", methods}, {"endpoints", endpoints}}
	if strings.Contains(rt.pattern, "(") {
		return o // a pattern is no address
	}
	self := strings.TrimSuffix(c.restURL(strings.TrimPrefix(rt.pattern, "/")), "/")
	return o.with("_links", object{{"self", list{object{{"href", self}}}}})
}

// describeFor leaves the index's own arguments without a description.
func (a arg) describeFor(c *call, noun string) object {
	o := a.describe(c, noun)
	if noun == "" {
		return o.without("description")
	}
	return o
}

// index is the namespace's.
func (c *call) index() (*answer, error) {
	var routes object
	for i := range c.site.routes {
		rt := &c.site.routes[i]
		routes = routes.with("/"+namespace+rt.pattern, rt.describe(c))
	}
	up := object{{"up", list{object{{"href", c.restRoot()}}}}}
	return &answer{status: 200, body: object{{"namespace", namespace}, {"routes", routes}}, links: up}, nil
}
