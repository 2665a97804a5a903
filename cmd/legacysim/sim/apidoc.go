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
	var paths object
	for i := range c.site.routes {
		if rt := &c.site.routes[i]; rt.namespace == namespace && rt.pattern != "" {
			paths = paths.with(pathGroup.ReplaceAllString(rt.pattern, "{$1}"), rt.docPath())
		}
	}
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
		{"paths", paths},
	})
}

// docPath shows POST only where something is changed by it, not where it
// creates.
func (rt *route) docPath() object {
	var o object
	for _, method := range []string{"GET", "POST", "DELETE"} {
		if e := rt.endpoint(method); e != nil && (method != "POST" || rt.ofItem()) {
			o = o.with(strings.ToLower(method), rt.docOperation(e, method == "POST"))
		}
	}
	return o
}

func (rt *route) docOperation(e *endpoint, hasBody bool) object {
	in, parameters, properties := "query", list{}, object(nil)
	if rt.ofItem() {
		in = "path"
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
