package sim

import (
	"net/url"
	"regexp"
	"strings"
)

var pathGroup = regexp.MustCompile(`\(\?P<(\w+)>[^)]*\)`)

// apiDoc is the OpenAPI document, without its schemas, and with names for texts. Its server has
// lost port and language, as the original has.
func (c *call) apiDoc() (*answer, error) {
	const title = "The Events Calendar REST API"
	server := c.base()
	if u, err := url.Parse(server); err == nil {
		server = u.Scheme + "://" + u.Hostname() + u.Path
	}
	server += strings.TrimPrefix(c.restRoot(), c.home())
	return ok(object{
		{"openapi", "3.0.0"},
		{"info", object{{"version", "1.0.0"}, {"title", title}, {"description", title}}},
		{"components", object{{"schemas", object{}}}},
		{"servers", list{object{{"url", server + namespace + "/"}}}},
		{"paths", c.docPaths((*route).docOperation)},
	})
}

// docPaths are the paths of a namespace, with the first method of each endpoint. An operation that is
// nil is not shown.
func (c *call) docPaths(operation func(*route, *endpoint) object) object {
	var paths object
	for i := range c.site.routes {
		rt := &c.site.routes[i]
		if rt.namespace != c.route.namespace || rt.pattern == "" {
			continue
		}
		var o object
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			e := rt.endpoint(method)
			if e == nil || e.methods[0] != method {
				continue
			}
			if shown := operation(rt, e); shown != nil {
				o = o.with(strings.ToLower(method), shown)
			}
		}
		paths = paths.with(pathGroup.ReplaceAllString(rt.pattern, "{$1}"), o)
	}
	return paths
}

// docOperation is nil for what creates.
func (rt *route) docOperation(e *endpoint) object {
	hasBody := e.methods[0] == "POST"
	in, parameters, properties := "query", list{}, object(nil)
	switch {
	case rt.ofItem():
		in = "path"
	case hasBody:
		return nil
	}
	for i, a := range e.args {
		inPath := i == 0 || a.name == "password"
		if hasBody && (!inPath || a.twice) {
			properties = properties.with(a.name, append(object{{"description", a.name}}, a.docSchema()...))
		}
		if !hasBody || inPath {
			parameters = append(parameters, object{
				{"in", in}, {"schema", a.docSchema()}, {"description", a.name}, {"required", a.required}, {"name", a.name},
			})
		}
	}
	var o object
	if len(parameters) > 0 {
		o = o.with("parameters", parameters)
	}
	if hasBody {
		schema := object{{"type", "object"}, {"properties", properties}}
		o = o.with("requestBody", object{{"content", object{{"application/x-www-form-urlencoded", object{{"schema", schema}}}}}})
	}
	return o.with("responses", object{{"200", object{{"description", "OK"}}}})
}

func (a arg) docSchema() object {
	switch items := a.schema.get("items"); {
	case items != nil:
		return object{{"type", "array"}, {"items", items}}
	case a.kind == "":
		return object{{"type", "string"}}
	}
	return object{{"type", a.kind}}
}
