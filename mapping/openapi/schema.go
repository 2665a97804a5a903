package openapi

import (
	"cmp"
	"embed"
	"html"
	"slices"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Schemas of single values. Without a format generators take the smaller type, and IDs of responses
// would not fit.
var (
	anyText    = typed("string")
	anyWhole   = members{{"type", "integer"}, {"format", "int64"}}
	anyID      = anyWhole.With(true, "minimum", 1)
	anyNumber  = typed("number")
	anyBoolean = typed("boolean")
	emptyList  = members{{"type", "array"}, {"maxItems", 0}, {"items", anyText}} // an object without members, as PHP writes it
)

func typed(name string) members { return members{{"type", name}} }

// oneOf returns the schema of a value that has one of several types.
func oneOf(schemas ...any) members { return members{{"oneOf", schemas}} }

func listOf(item members) members { return members{{"type", "array"}, {"items", item}} }

func mapOf(value members) members {
	return members{{"type", "object"}, {"additionalProperties", value}}
}

// nullable returns the schema of a value of one or several types that may be null too.
func nullable(schema members) members {
	first := schema[0]
	constraints := schema[1:]
	if schemas, ok := first.Value.([]any); ok {
		return oneOf(append(slices.Clone(schemas), typed("null"))...)
	}
	return append(members{{"type", []any{first.Value, "null"}}}, constraints...)
}

// schema is the component of a shape. Members that the table does not name are allowed.
func (d document) schema(s *mapping.Shape) members {
	properties := members{}
	required := []any{}
	for i := range s.Attributes {
		a := &s.Attributes[i]
		text := d.text(cmp.Or(a.Text, "answer."+s.Name+"."+a.Name))
		switch {
		case a.Null:
			text += " " + d.text("answer.null_if_protected")
		case a.Type == mapping.Hidden:
			text += " " + d.text("answer.empty_if_protected")
		}
		properties = append(properties, member{
			Name:  a.Name,
			Value: attributeSchema(a).With(true, "description", text),
		})
		if !a.Optional {
			required = append(required, a.Name)
		}
	}
	return object(d.text(cmp.Or(s.Text, "schema."+s.Name)), required, properties)
}

func object(description string, required []any, properties members) members {
	return members{{"type", "object"}, {"description", description}}.With(len(required) > 0, "required", required).
		With(true, "properties", properties)
}

// valueSchemas are the schemas of attributes without a shape.
var valueSchemas = map[mapping.Type]members{
	mapping.String:  anyText,
	mapping.Digits:  {{"type", "string"}, {"pattern", "^[0-9]+$"}},
	mapping.DayTime: {{"type", "string"}, {"pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$"}},
	mapping.Whole:   anyWhole,
	mapping.Bool:    anyBoolean,
	mapping.Strings: listOf(anyText),
	mapping.Free:    oneOf(typed("object"), emptyList),
	mapping.Hidden:  oneOf(anyText, emptyList),
}

func attributeSchema(a *mapping.Attribute) members {
	value := valueSchemas[a.Type]
	if a.Null {
		return nullable(value)
	} else if value != nil {
		return value
	}
	object := ref("schemas", camel(objectShape(a).Name))
	switch a.Type {
	case mapping.Single:
		return members{{"allOf", []any{object}}} // may have a description
	case mapping.SingleOrNone:
		return oneOf(object, members{{"type", "boolean"}, {"enum", []any{false}}})
	case mapping.Several:
		return listOf(object)
	case mapping.OneOrSeveral:
		return oneOf(object, listOf(object))
	case mapping.Named:
		return oneOf(mapOf(object), emptyList)
	case mapping.NamedLists:
		return oneOf(mapOf(listOf(object)), emptyList)
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

// withSchemas adds the components of a shape and of the shapes inside, each once.
func (d document) withSchemas(components members, s *mapping.Shape) members {
	if s == nil || components.Get(camel(s.Name)) != nil {
		return components
	}
	components = append(components, member{Name: camel(s.Name), Value: d.schema(s)})
	for i := range s.Attributes {
		a := &s.Attributes[i]
		if a.Shape != nil {
			components = d.withSchemas(components, objectShape(a))
		}
	}
	return components
}

// examples are responses of the demo, one file for each language. The demo's test writes the files.
//
//go:embed examples/*.json
var examples embed.FS

// exampleOf returns an example of a response to e; nil without an example. A create and an
// update respond like a read, but a deletion does not.
func (d document) exampleOf(e *mapping.Endpoint) any {
	if v, ok := d.examples[exampleName(e)]; ok && e.Action != mapping.Delete {
		return v
	}
	return nil
}

func exampleName(e *mapping.Endpoint) string {
	if e.Action == mapping.List {
		return e.Name()
	}
	return e.Resource + "." + string(mapping.Read)
}

// requestExample returns a body such as the body that made the example of the response: the
// fields that a create requires, and the first of these for an update.
func (d document) requestExample(e *mapping.Endpoint) any {
	response := d.examples[exampleName(e)]
	if response == nil {
		return nil
	}
	m := members{}
	for _, p := range e.Fields {
		if p.Required && (len(m) == 0 || e.Action == mapping.Create) {
			m = append(m, member{Name: p.Name, Value: writeValue(jsonscan.Text(jsonscan.Get(response, p.Name)))})
		}
	}
	return m
}

// exampleYears is added to the dates of the examples, so that these are ahead of readers. The number is fixed, for
// the document must stay the same.
const exampleYears = 8

// writeValue returns the value of a write, for a text of the response: a text without entities, or a date.
func writeValue(text string) string {
	if date, err := time.Parse(time.DateTime, text); err == nil {
		return date.AddDate(exampleYears, 0, 0).Format(time.DateTime)
	}
	return html.UnescapeString(text)
}
