package sim

import (
	"net/url"
	"strings"
)

// apiDoc is the OpenAPI document of the legacy without its paths and schemas. Its server has lost port and
// language, as the original has.
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
		{"paths", object{}},
	})
}

// tecDocs is the OpenAPI document in short: the texts of the original are left out, its responses but
// the records, and all of its schemas but the names of fields.
func (c *call) tecDocs() (*answer, error) {
	const title = "The Events Calendar REST API"
	return ok(object{
		{"openapi", "3.0.4"},
		{"info", object{
			{"title", title}, {"version", "1.0.0"}, {"description", title}, {"contact", object{{"name", title}, {"email", ""}}},
		}},
		{"tags", list{object{{"name", "Events"}, {"description", title}}, object{{"name", "Common"}, {"description", title}}}},
		{"components", object{
			{"schemas", tecSchemas()}, {"securitySchemes", object{{"BasicAuth", object{{"type", "http"}, {"scheme", "basic"}}}}},
		}},
		{"servers", list{object{{"url", c.restLink(tecNamespace)}}}},
		{"paths", tecPaths()},
	})
}

func tecPaths() object {
	var paths object
	for _, rt := range tecRoutes() {
		if rt.pattern == "" {
			continue
		}
		var operations object
		for _, e := range rt.endpoints {
			operations = operations.with(strings.ToLower(e.methods[0]), rt.tecOperation(&e))
		}
		paths = paths.with(strings.Replace(rt.pattern, tecID, "/{id}", 1), operations)
	}
	return paths
}

// tecOperation names PUT alone where PUT and PATCH are one.
func (rt *route) tecOperation(e *endpoint) object {
	method, title := e.methods[0], rt.kind.title()
	security, parameters, record := list{object{{"BasicAuth", list{}}}}, list{}, object{{"description", title}}
	if method == "GET" {
		security = list{}
	}
	if rt.ofItem() {
		parameters = append(parameters, object{
			{"name", "id"}, {"in", "path"}, {"description", "id"}, {"required", true},
			{"schema", object{{"type", "integer"}}}, {"example", 1},
		})
	}
	text := strings.ToLower(method) + title
	o := object{{"summary", text}, {"security", security}, {"description", text}, {"operationId", text}, {"tags", list{"Events"}}}
	if method == "POST" || method == "PUT" {
		o = o.with("requestBody", object{{"description", title}, {"required", true}, tecContent(title + "_Request_Body")})
	} else {
		parameters = append(parameters, e.tecDocParameters()...)
	}
	if rt.ofItem() && method != "DELETE" {
		record = append(record, tecContent(title))
	}
	return o.with("parameters", parameters).with("responses", object{{"200", record}})
}

func (e *endpoint) tecDocParameters() list {
	parameters := list{}
	for _, a := range e.args {
		o := object{{"name", a.name}, {"in", "query"}, {"description", a.name}, {"required", false}}
		if a.schema.get("type") == "array" {
			o = o.with("explode", false)
		}
		parameters = append(parameters, o.with("schema", a.schema).with("example", ""))
	}
	return parameters
}

func tecContent(schema string) member {
	return member{"content", object{{"application/json", object{{"schema", object{tecRef(schema)}}}}}}
}

func tecRef(name string) member { return member{"$ref", "#/components/schemas/" + name} }

// tecSchemas are the records, by field.
func tecSchemas() object {
	post := strings.Fields("id date date_gmt guid modified modified_gmt slug status link " +
		"title content excerpt author featured_media template")
	record := func(names []string) object {
		var properties object
		for _, name := range names {
			properties = properties.with(name, object{})
		}
		return object{{"type", "object"}, {"properties", properties}}
	}
	o := object{{"TEC_Post_Entity", record(post)}}
	for _, k := range []kind{eventKind, organizerKind, venueKind} {
		var names []string
		for _, a := range tecFields(k) {
			names = append(names, a.name)
		}
		base := object{tecRef("TEC_Post_Entity")}
		o = o.with(k.title()+"_Request_Body", record(names)).with(k.title(), object{{"allOf", list{base, record(names)}}})
	}
	return o
}
