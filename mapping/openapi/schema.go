package openapi

import (
	"embed"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
)

// typed is a schema of one type, or of null where that may be too.
func typed(name string, null bool) members {
	if null {
		return members{{"type", []string{name, "null"}}}
	}
	return members{{"type", name}}
}

// oneOf returns the schema of a value that has one of several types.
func oneOf(schemas ...members) members { return members{{"oneOf", schemas}} }

func listOfSchema(item members, null bool) members {
	return append(typed("array", null), member{"items", item})
}

// emptyList is how PHP writes an object without members.
var emptyList = members{{"type", "array"}, {"maxItems", 0}, {"items", members{{"type", "string"}}}}

func mapOf(value members) members {
	return members{{"type", "object"}, {"additionalProperties", value}}
}

// schema is the component of a shape. What the table does not name is allowed.
func (d document) schema(s *mapping.Shape) members {
	properties, required := members{}, []string{}
	for i := range s.Attributes {
		a := &s.Attributes[i]
		m := attributeSchema(a)
		properties = append(properties, member{a.Name, append(m, member{"description", d.text(attributeKey(s, a))})})
		if !a.Optional {
			required = append(required, a.Name)
		}
	}
	m := members{{"type", "object"}, {"description", d.text(shapeKey(s))}}
	if len(required) > 0 {
		m = append(m, member{"required", required})
	}
	return append(m, member{"properties", properties})
}

func attributeSchema(a *mapping.Attribute) members {
	switch a.Type {
	case mapping.String:
		return typed("string", a.Null)
	case mapping.Digits:
		return append(typed("string", a.Null), member{"pattern", "^[0-9]+$"})
	case mapping.DayTime:
		return append(typed("string", a.Null), member{"pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$"})
	case mapping.Whole:
		return append(typed("integer", a.Null), member{"format", "int64"})
	case mapping.Bool:
		return typed("boolean", a.Null)
	case mapping.Strings:
		return listOfSchema(members{{"type", "string"}}, a.Null)
	case mapping.Scalar:
		return oneOf(typed("string", false), typed("number", false), typed("boolean", false), typed("null", false))
	case mapping.Free:
		return oneOf(typed("object", a.Null), emptyList)
	case mapping.Hidden:
		return oneOf(members{{"type", "string"}}, emptyList)
	case mapping.NamesOrTexts:
		return oneOf(listOfSchema(members{{"type", "string"}}, false), mapOf(members{{"type", "string"}}))
	}
	return objectSchema(a)
}

func objectSchema(a *mapping.Attribute) members {
	object := ref("schemas", camel(objectShape(a).Name))
	switch a.Type {
	case mapping.Single:
		if a.Null {
			return oneOf(object, members{{"type", "null"}})
		}
		return members{{"allOf", []any{object}}} // may have a description
	case mapping.SingleOrNone:
		return oneOf(object, members{{"type", "boolean"}, {"enum", []bool{false}}})
	case mapping.Several:
		return listOfSchema(object, false)
	case mapping.OneOrSeveral:
		return oneOf(object, listOfSchema(object, false))
	case mapping.Named:
		return oneOf(mapOf(object), emptyList)
	case mapping.NamedLists:
		return oneOf(mapOf(listOfSchema(object, false)), emptyList)
	}
	panic("BUG: no schema for the type of " + a.Name)
}

// objectShape is the shape of an attribute's objects, or of their values where the
// names are data.
func objectShape(a *mapping.Attribute) *mapping.Shape {
	if a.Shape.Rest != nil {
		return a.Shape.Rest.Shape
	}
	return a.Shape
}

// shapes lists every shape that a client can meet, each once, those that
// contain others before them.
func (d document) shapes() []*mapping.Shape {
	var all []*mapping.Shape
	seen := map[*mapping.Shape]bool{}
	var visit func(s *mapping.Shape)
	visit = func(s *mapping.Shape) {
		if seen[s] {
			return
		}
		seen[s] = true
		all = append(all, s)
		for i := range s.Attributes {
			if a := &s.Attributes[i]; a.Shape != nil {
				visit(objectShape(a))
			}
		}
	}
	for i := range mapping.Table {
		visit(resultOf(&mapping.Table[i]))
	}
	visit(routeShape)
	visit(errorShape)
	if !d.forClients {
		visit(problemShape)
	}
	return all
}

// resultOf returns the shape of a success.
func resultOf(e *mapping.Endpoint) *mapping.Shape {
	switch e.Action {
	case mapping.Index:
		return namespaceShape
	case mapping.Doc:
		return documentShape
	}
	return e.Result
}

// The shapes of responses that the facade makes by itself: its own descriptions, and
// errors.

// argumentShape describes a parameter in WordPress's own terms, which has a type
// only where WordPress gives one.
var argumentShape = shape("argument",
	mapping.Attribute{Name: "type", Optional: true},
	mapping.Attribute{Name: "items", Type: mapping.Free, Optional: true},
	mapping.Attribute{Name: "default", Type: mapping.Scalar, Optional: true},
	mapping.Attribute{Name: "enum", Type: mapping.Strings, Optional: true},
	mapping.Attribute{Name: "description"},
	mapping.Attribute{Name: "required", Type: mapping.Bool},
)

var handlerShape = shape("handler",
	mapping.Attribute{Name: "methods", Type: mapping.Strings, Text: "answer.route.methods"},
	mapping.Attribute{Name: "args", Type: mapping.Named, Shape: argumentShape},
)

var routeShape = shape("route",
	mapping.Attribute{Name: "namespace", Text: "answer.namespace.namespace"},
	mapping.Attribute{Name: "methods", Type: mapping.Strings},
	mapping.Attribute{Name: "endpoints", Type: mapping.Several, Shape: handlerShape},
	mapping.Attribute{Name: "_links", Type: mapping.NamedLists, Shape: mapping.LinkShape, Optional: true, Text: "answer.term._links"},
)

var namespaceShape = shape("namespace",
	mapping.Attribute{Name: "namespace"},
	mapping.Attribute{Name: "routes", Type: mapping.Named, Shape: routeShape},
	mapping.Attribute{Name: "_links", Type: mapping.NamedLists, Shape: mapping.LinkShape, Text: "answer.term._links"},
)

var documentShape = shape("document",
	mapping.Attribute{Name: "openapi"},
	mapping.Attribute{Name: "info", Type: mapping.Free, Text: "answer.document.part"},
	mapping.Attribute{Name: "servers", Type: mapping.Several, Shape: serverShape, Text: "answer.document.part"},
	mapping.Attribute{Name: "paths", Type: mapping.Free, Text: "answer.document.part"},
	mapping.Attribute{Name: "components", Type: mapping.Free, Text: "answer.document.part"},
)

var serverShape = shape("server", mapping.Attribute{Name: "url"})

// errorShape is WordPress's envelope.
var errorShape = shape("error",
	mapping.Attribute{Name: "code"},
	mapping.Attribute{Name: "message"},
	mapping.Attribute{Name: "data", Type: mapping.Single, Shape: errorDataShape, Null: true},
)

var errorDataShape = shape("error.data",
	mapping.Attribute{Name: "status", Type: mapping.Whole},
	mapping.Attribute{Name: "params", Type: mapping.NamesOrTexts, Optional: true},
	mapping.Attribute{Name: "details", Type: mapping.Named, Shape: errorDetailShape, Optional: true},
)

var errorDetailShape = shape("error.detail",
	mapping.Attribute{Name: "code"},
	mapping.Attribute{Name: "message", Text: "answer.error.message"},
	mapping.Attribute{Name: "data", Type: mapping.Free, Null: true},
)

// problemShape is RFC 9457's form of the same.
var problemShape = shape("problem",
	mapping.Attribute{Name: "type"},
	mapping.Attribute{Name: "title"},
	mapping.Attribute{Name: "status", Type: mapping.Whole, Text: "answer.error.data.status"},
	mapping.Attribute{Name: "detail", Optional: true, Text: "answer.error.message"},
	mapping.Attribute{Name: "code", Optional: true, Text: "answer.error.code"},
	mapping.Attribute{Name: "request_id", Text: "header.X-Request-Id"},
	mapping.Attribute{Name: "params", Type: mapping.Several, Shape: problemParamShape, Optional: true},
)

var problemParamShape = shape("problem.param",
	mapping.Attribute{Name: "name"},
	mapping.Attribute{Name: "message", Text: "answer.error.message"},
	mapping.Attribute{Name: "code", Text: "answer.error.detail.code"},
)

func shape(name string, attributes ...mapping.Attribute) *mapping.Shape {
	return &mapping.Shape{Name: name, Attributes: attributes}
}

// members is a JSON object whose members stay in order.
type members []member

type member mapping.Member

// MarshalJSONTo implements json.MarshalerTo.
func (m members) MarshalJSONTo(enc *jsontext.Encoder) error {
	all := make(mapping.Members, len(m))
	for i := range m {
		all[i] = mapping.Member(m[i])
	}
	return all.MarshalJSONTo(enc)
}

// examples are responses of the demo, one file for each language, made by its test.
//
//go:embed examples/*.json
var examples embed.FS

// examplesOf are the examples in a language, by the name of the row that gave them.
var examplesOf = sync.OnceValue(func() map[string]map[string]jsontext.Value {
	all := map[string]map[string]jsontext.Value{}
	for _, language := range mapping.Language.Enum {
		data, err := examples.ReadFile("examples/" + language + ".json")
		if err != nil {
			panic("BUG: examples: " + err.Error())
		}
		var byRow map[string]jsontext.Value
		if err := json.Unmarshal(data, &byRow); err != nil {
			panic("BUG: examples: " + err.Error())
		}
		all[language] = map[string]jsontext.Value{}
		for name, value := range byRow {
			all[language][name] = jsontext.Value(value)
		}
	}
	return all
})

// exampleOf returns an example of a response to e; nil if it has none. A create and an
// update respond like a read, but a deletion does not.
func exampleOf(language string, e *mapping.Endpoint) any {
	v, ok := examplesOf()[language][exampleName(e)]
	if !ok || e.Action == mapping.Delete {
		return nil
	}
	return v
}

func exampleName(e *mapping.Endpoint) string {
	if e.Action == mapping.List {
		return e.Name()
	}
	return e.Resource + "." + string(mapping.Read)
}

// requestExample returns the body that would have made the example of the response: the
// fields that a create requires, and the first of these for an update.
func requestExample(e *mapping.Endpoint, language string) any {
	var response map[string]jsontext.Value
	v, ok := examplesOf()[language][exampleName(e)]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(v, &response); err != nil {
		panic("BUG: examples: " + err.Error())
	}
	m := members{}
	for i := range e.Fields {
		if p := &e.Fields[i]; p.Required && (len(m) == 0 || e.Action == mapping.Create) {
			m = append(m, member{p.Name, jsontext.Value(response[p.Name])})
		}
	}
	return m
}
