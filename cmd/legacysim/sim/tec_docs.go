package sim

import "strings"

// tecDocs is the OpenAPI document. Unlike the original it has no examples in bodies, and the
// schemas only in short.
func (c *call) tecDocs(kind) (*answer, error) {
	const title = "The Events Calendar REST API"
	var paths object
	for i := range c.site.tecRoutes {
		if rt := &c.site.tecRoutes[i]; rt.kind != "" {
			paths = paths.with(pathGroup.ReplaceAllString(rt.pattern, "{$1}"), rt.docPath())
		}
	}
	paths = paths.with("/docs", object{{"get", tecDocsOperation()}})
	return ok(object{
		{"openapi", "3.0.4"},
		{"info", object{
			{"title", title}, {"version", "1.0.0"},
			{"description", title + " allows accessing upcoming events information easily and conveniently."},
			{"contact", object{{"name", "The Events Calendar"}, {"email", "support@theeventscalendar.com"}}},
		}},
		{"tags", list{tecTag("Events", "The Events Calendar"), tecTag("Common", "the Common library")}},
		{"components", object{
			{"schemas", tecSchemas()}, {"securitySchemes", object{{"BasicAuth", object{{"type", "http"}, {"scheme", "basic"}}}}},
		}},
		{"servers", list{object{{"url", c.restLink(tecNamespace)}}}},
		{"paths", paths},
	})
}

func tecDocsOperation() object {
	const text = "Returns the documentation for The Events Calendar REST API in Swagger consumable format."
	return object{
		{"summary", "Get the documentation for the TEC REST API"}, {"security", list{}}, {"description", text},
		{"operationId", "getOpenApiDocs"}, {"tags", list{"Common"}}, {"parameters", list{}},
		{"responses", object{{"200", tecResponse(text, object{tecRef("OpenApiDocumentation")})}}},
	}
}

// docPath names PUT alone where PUT and PATCH are one.
func (rt *tecRoute) docPath() object {
	var o object
	for _, e := range rt.endpoints {
		o = o.with(strings.ToLower(e.methods[0]), rt.docOperation(&e))
	}
	return o
}

func (rt *tecRoute) docOperation(e *tecEndpoint) object {
	words := tecOperationOf(rt, e.methods[0])
	security, body := list{object{{"BasicAuth", list{}}}}, object(nil)
	switch e.methods[0] {
	case "GET":
		security = list{}
	case "POST", "PUT":
		verb := map[string]string{"POST": "create", "PUT": "update"}[e.methods[0]]
		schema := object{{"schema", object{tecRef(tecTitle(rt.kind) + "_Request_Body")}}}
		body = object{{"description", "The " + words.noun + " data to " + verb + "."}, {"required", true}, {"content", object{{"application/json", schema}}}}
	}
	o := object{
		{"summary", words.summary}, {"security", security}, {"description", words.description}, {"operationId", words.id}, {"tags", list{"Events"}},
	}
	if body != nil {
		o = o.with("requestBody", body)
	}
	return o.with("parameters", rt.docParameters(e, words.noun, body != nil)).with("responses", words.responses)
}

func (rt *tecRoute) docParameters(e *tecEndpoint, noun string, hasBody bool) list {
	parameters := list{}
	if strings.Contains(rt.pattern, "(") {
		parameters = append(parameters, object{
			{"name", "id"}, {"in", "path"}, {"description", "Unique identifier for the " + noun + "."}, {"required", true},
			{"schema", object{{"type", "integer"}}}, {"example", 126},
		})
	}
	for _, a := range e.args {
		if hasBody {
			break
		}
		o := object{{"name", a.name}, {"in", "query"}, {"description", a.text}, {"required", false}}
		if a.schema[0].value == "array" {
			o = o.with("explode", false)
		}
		parameters = append(parameters, o.with("schema", a.schema).with("example", a.example()))
	}
	return parameters
}

// example is a value for the document.
func (a tecArg) example() any {
	known := map[string]any{"page": 1, "per_page": 51, "search": "Example", "status": list{"publish"}, "orderby": "date", "order": "ASC"}
	if v, ok := known[a.name]; ok {
		return v
	}
	return map[any]any{"string": "2025-06-05T12:00:00Z", "integer": 126, "boolean": true, "array": list{126}}[a.schema[0].value]
}

// tecSchemas are the records, by field.
func tecSchemas() object {
	post := strings.Fields("id date date_gmt guid modified modified_gmt slug status link title content excerpt author featured_media template")
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
		o = o.with(tecTitle(k)+"_Request_Body", record(names)).with(tecTitle(k), object{{"allOf", list{base, record(names)}}})
	}
	return o.with("OpenApiDocumentation", object{{"type", "object"}})
}
