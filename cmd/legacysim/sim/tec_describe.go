package sim

import "strings"

// describe is the entry of a route in the index; OPTIONS answers with it and the schema.
func (rt *tecRoute) describe(c *call, alone bool) object {
	var methods, endpoints list
	for _, e := range rt.endpoints {
		methods = append(methods, listOf(e.methods)...)
		args := object{}
		for _, a := range e.args {
			args = args.with(a.name, append(append(object{{"description", a.text}}, a.schema...), member{"required", false}))
		}
		if rt.pattern == "" {
			args = object{
				{"namespace", object{{"default", tecNamespace}, {"required", false}}}, {"context", object{{"default", "view"}, {"required", false}}},
			}
		}
		endpoints = append(endpoints, object{{"methods", listOf(e.methods)}, {"args", phpArray(args)}})
	}
	o := object{{"namespace", tecNamespace}, {"methods", methods}, {"endpoints", endpoints}}
	if alone && rt.pattern != "" {
		o = o.with("schema", rt.schema(c))
	}
	if strings.Contains(rt.pattern, "(") {
		return o // a pattern is no address
	}
	return o.with("_links", object{{"self", list{object{{"href", c.restLink(tecNamespace + rt.pattern)}}}}})
}

// schema refers to the OpenAPI document.
func (rt *tecRoute) schema(c *call) object {
	name := tecTitle(rt.kind)
	if rt.kind == "" {
		name = "OpenApiDocumentation"
	}
	record := object{{"$ref", c.restLink(tecNamespace+"/docs") + "#/components/schemas/" + name}}
	o := object{{"$schema", "http://json-schema.org/draft-04/schema#"}}
	if rt.kind == "" {
		return append(o, object{{"title", "docs"}, {"type", "object"}, record[0]}...)
	}
	if strings.Contains(rt.pattern, "(") {
		return append(o, object{{"title", strings.TrimSuffix(tecFolder(rt.kind), "s")}, {"type", "object"}, record[0]}...)
	}
	return append(o, object{{"title", tecFolder(rt.kind)}, {"type", "array"}, {"items", record}}...)
}

// tecTitle is the name of the schema of a kind.
func tecTitle(k kind) string {
	return map[kind]string{eventKind: "Event", venueKind: "Venue", organizerKind: "Organizer"}[k]
}

// tecIndex lists the routes.
func (c *call) tecIndex(kind) (*answer, error) {
	var routes object
	for i := range c.site.tecRoutes {
		rt := &c.site.tecRoutes[i]
		routes = routes.with("/"+tecNamespace+rt.pattern, rt.describe(c, false))
	}
	up := object{{"up", list{object{{"href", c.restRoot()}}}}}
	return &answer{status: 200, body: object{{"namespace", tecNamespace}, {"routes", routes}}, links: up}, nil
}
