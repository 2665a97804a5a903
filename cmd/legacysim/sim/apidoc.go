package sim

import (
	"net/url"
	"regexp"
	"strings"
)

var pathGroup = regexp.MustCompile(`\(\?P<(\w+)>[^)]*\)`)

// apiDoc is the OpenAPI document. Its server has lost port and language, as
// the original has.
func (c *call) apiDoc() (*answer, error) {
	var paths object
	for i := range c.site.routes {
		if rt := &c.site.routes[i]; rt.pattern != "" {
			paths = paths.with(pathGroup.ReplaceAllString(rt.pattern, "{$1}"), c.docPath(rt))
		}
	}
	server := c.base()
	if u, err := url.Parse(server); err == nil {
		server = u.Scheme + "://" + u.Hostname() + u.Path
	}
	server += strings.TrimPrefix(c.restRoot(), c.home())
	return ok(object{
		{"openapi", "3.0.0"},
		{"info", object{
			{"version", "1.0.0"},
			{"title", docTitles[c.root.lang.code]},
			{"description", docTitles[c.root.lang.code] + " (" + c.root.lang.name + ")"},
		}},
		{"components", object{{"schemas", docSchemas()}}},
		{"servers", list{object{{"url", server + namespace + "/"}}}},
		{"paths", paths},
	})
}

var docTitles = map[string]string{
	"en": "The Events Calendar REST API",
	"es": "La API REST de The Events Calendar",
	"de": "The Events Calendar REST-API",
	"fr": "L’API REST de The Events Calendar",
}

// docPath shows POST only where something is changed by it, not where it
// creates.
func (c *call) docPath(rt *route) object {
	var o object
	item := strings.Contains(rt.pattern, "(")
	for _, method := range []string{"GET", "POST", "DELETE"} {
		e := rt.endpoint(method)
		if e == nil || method == "POST" && !item {
			continue
		}
		o = o.with(strings.ToLower(method), c.docOperation(rt, e, method == "POST"))
	}
	return o
}

func (c *call) docOperation(rt *route, e *endpoint, hasBody bool) object {
	parameters, properties := list{}, object(nil)
	for i, a := range e.args {
		inPath := i == 0 || a.name == "password"
		if hasBody && (!inPath || a.twice) {
			properties = properties.with(a.name, c.docProperty(a, rt.noun))
		}
		if hasBody && !inPath {
			continue
		}
		in := "query"
		if strings.Contains(rt.pattern, "(") {
			in = "path"
		}
		parameters = append(parameters, object{
			{"in", in},
			{"schema", a.docSchema()},
			{"description", c.root.lang.describeArg(a, rt.noun)},
			{"required", a.required},
			{"name", a.name},
		})
	}
	var o object
	if len(parameters) > 0 {
		o = o.with("parameters", parameters)
	}
	if hasBody {
		schema := object{{"type", "object"}, {"properties", properties}}
		o = o.with("requestBody", object{{"content", object{{"application/x-www-form-urlencoded", object{{"schema", schema}}}}}})
	}
	return o.with("responses", docResponses(rt))
}

func (c *call) docProperty(a arg, noun string) object {
	return append(object{{"description", c.root.lang.describeArg(a, noun)}}, a.docSchema()...)
}

func (a arg) docSchema() object {
	switch {
	case a.items:
		return object{{"type", "array"}, {"items", object{{"type", "integer"}}}}
	case a.kind == "":
		return object{{"type", "string"}}
	}
	return object{{"type", a.kind}}
}

func docResponses(rt *route) object {
	o := object{{"200", object{{"description", "OK"}}}}
	if rt.noun == "" {
		return o
	}
	return o.with("400", object{{"description", "Bad parameters"}}).with("404", object{{"description", "Not found"}})
}

// docSchemas are the records, by field.
func docSchemas() object {
	schemas := []struct{ name, fields string }{
		{"ImageSize", "width:integer height:integer mime-type:string url:string"},
		{"CostDetails", "currency_symbol:string currency_position:string values:array"},
		{"Term", "id:integer name:string slug:string taxonomy:string description:string parent:integer count:integer url:string urls:array"},
		{"Image", "url:string id:integer extension:string width:integer height:integer sizes:array"},
		{"DateDetails", "year:integer month:integer day:integer hour:integer minutes:integer seconds:integer"},
		{"Event", "id:integer global_id:string author:integer date:string status:string url:string rest_url:string title:string " +
			"description:string slug:string all_day:boolean start_date:string end_date:string timezone:string cost:string website:string"},
		{"Venue", "id:integer venue:string address:string city:string country:string zip:string phone:string website:string"},
		{"Organizer", "id:integer organizer:string phone:string website:string email:string"},
	}
	var o object
	for _, s := range schemas {
		var properties object
		for f := range strings.FieldsSeq(s.fields) {
			name, kind, _ := strings.Cut(f, ":")
			properties = properties.with(name, object{{"type", kind}})
		}
		o = o.with(s.name, object{{"type", "object"}, {"properties", properties}})
	}
	return o
}
