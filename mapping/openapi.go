package mapping

import (
	"net/http"
	"strconv"
	"strings"
)

// OpenAPI is the documentation of the namespace below base in OpenAPI 3.1,
// made of the table and the texts and of nothing else.
func OpenAPI(base string, language string, voice Voice) []byte {
	paths := members{}
	for _, path := range Paths() {
		operations := members{}
		for _, e := range Rows(path) {
			for _, method := range e.Methods {
				operations = append(operations, Member{strings.ToLower(method), e.operation(method, voice)})
			}
		}
		if path == "" {
			path = "/"
		}
		paths = append(paths, Member{path, operations})
	}
	return encodeJSON(members{
		{"openapi", "3.1.0"},
		{"info", members{
			{"title", voice.Text("document.title", nil)},
			{"description", voice.Text("document.description", nil)},
			{"version", "1"},
			{"x-language", language},
		}},
		{"servers", []any{members{{"url", base}}}},
		{"paths", paths},
		{"components", members{
			{"securitySchemes", members{
				{"basic", members{{"type", "http"}, {"scheme", "basic"}}},
				{"nonce", members{{"type", "apiKey"}, {"in", "header"}, {"name", "X-WP-Nonce"}}},
			}},
			{"schemas", members{{"Error", errorSchema}}},
		}},
	})
}

var errorSchema = members{
	{"type", "object"},
	{"required", []string{"code", "message", "data"}},
	{"properties", members{
		{"code", members{{"type", "string"}}},
		{"message", members{{"type", "string"}}},
		{"data", members{{"type", "object"}}},
	}},
}

func (e *Endpoint) operation(method string, voice Voice) members {
	id := e.Name()
	if len(e.Methods) > 1 {
		id += "." + strings.ToLower(method)
	}
	op := members{{"operationId", id}, {"summary", voice.Text(e.Name(), nil)}}
	if e.Resource != "" {
		op = append(op, Member{"tags", []string{e.Resource}})
	}
	var parameters []any
	for _, p := range e.Args() {
		if p.In != InBody {
			parameters = append(parameters, e.parameter(p, voice))
		}
	}
	op = append(op, Member{"parameters", parameters})
	if len(e.Fields) > 0 {
		op = append(op, Member{"requestBody", e.requestBody(voice)})
	}
	success := http.StatusOK
	if e.Action == Create {
		success = http.StatusCreated
	}
	return append(op,
		Member{"responses", members{
			{strconv.Itoa(success), members{
				{"description", http.StatusText(success)},
				{"content", members{{"application/json", members{{"schema", members{{"type", "object"}}}}}}},
			}},
			{"default", members{
				{"description", voice.Text("document.error", nil)},
				{"content", members{{"application/json", members{{"schema", ref("Error")}}}}},
			}},
		}},
		Member{"security", e.security()},
	)
}

func ref(name string) members { return members{{"$ref", "#/components/schemas/" + name}} }

// security says who may: reads are for everybody, and those who sign in see more.
func (e *Endpoint) security() []any {
	schemes := []any{members{{"basic", []string{}}}, members{{"nonce", []string{}}}}
	if e.Writes() {
		return schemes
	}
	return append([]any{members{}}, schemes...)
}

func (e *Endpoint) parameter(p *Param, voice Voice) members {
	m := members{
		{"name", p.Name},
		{"in", map[In]string{InQuery: "query", InPath: "path"}[p.In]},
		{"description", voice.Text(e.TextKey(p), nil)},
		{"required", e.Requires(p)},
	}
	if p.Kind.isList() {
		m = append(m, Member{"style", "form"}, Member{"explode", false})
	}
	return append(m, Member{"schema", p.schema()})
}

func (e *Endpoint) requestBody(voice Voice) members {
	properties := members{}
	required := []string{}
	for i := range e.Fields {
		p := &e.Fields[i]
		properties = append(properties, Member{p.Name, append(p.schema(), Member{"description", voice.Text(e.TextKey(p), nil)})})
		if e.Requires(p) {
			required = append(required, p.Name)
		}
	}
	schema := members{{"type", "object"}, {"properties", properties}}
	if len(required) > 0 {
		schema = append(schema, Member{"required", required})
	}
	content := members{
		{"application/json", members{{"schema", schema}}},
		{"application/x-www-form-urlencoded", members{{"schema", schema}}},
		{"multipart/form-data", members{{"schema", schema}}},
	}
	return members{{"required", e.Action == Create}, {"content", content}}
}

func (p *Param) schema() members {
	m := p.typeSchema()
	if p.Null {
		m = members{{"anyOf", []any{m, members{{"type", "null"}}}}}
	}
	switch {
	case p.Default != "":
		m = append(m, Member{"default", p.typedDefault()})
	case p.Null:
		m = append(m, Member{"default", nil})
	}
	return m
}

func (p *Param) typeSchema() members {
	switch p.Kind {
	case Untyped, BooleanLike:
		return members{{"type", []string{"string", "number", "boolean"}}}
	case TextLike:
		return members{{"type", []string{"string", "integer", "boolean"}}}
	case ID:
		return members{{"type", "integer"}, {"minimum", 0}}
	case IDSet:
		return members{{"type", "array"}, {"items", members{{"type", "integer"}}}}
	case TermSet, Terms:
		return members{{"type", "array"}, {"items", members{{"type", []string{"integer", "string"}}}}}
	case Links:
		item := members{{"type", []string{"integer", "object"}}}
		return members{{"type", []string{"integer", "object", "array"}}, {"items", item}}
	}
	m := members{{"type", p.Kind.typeName()}}
	if p.Kind == Number || p.Min != 0 {
		m = append(m, Member{"minimum", p.Min})
	}
	if p.Max != 0 {
		m = append(m, Member{"maximum", p.Max})
	}
	if p.Enum != nil {
		m = append(m, Member{"enum", p.Enum})
	}
	return m
}
