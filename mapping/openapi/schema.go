package openapi

import (
	"cmp"
	"embed"
	"slices"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
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
		properties = append(properties, member{a.Name,
			append(m, member{"description", d.text(cmp.Or(a.Text, "answer."+s.Name+"."+a.Name))})})
		if !a.Optional {
			required = append(required, a.Name)
		}
	}
	return object(d.text(cmp.Or(s.Text, "schema."+s.Name)), required, properties)
}

func object(description string, required []string, properties members) members {
	return members{{"type", "object"}, {"description", description}}.With(len(required) > 0, "required", required).
		With(true, "properties", properties)
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
	case mapping.Free:
		return oneOf(typed("object", a.Null), emptyList)
	case mapping.Hidden:
		return oneOf(members{{"type", "string"}}, emptyList)
	}
	switch object := ref("schemas", camel(objectShape(a).Name)); a.Type {
	case mapping.Single:
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

// shapes lists every shape that the responses of a site have, each once, and before the shapes inside.
func shapes() []*mapping.Shape {
	var all []*mapping.Shape
	var visit func(s *mapping.Shape)
	visit = func(s *mapping.Shape) {
		if s == nil || slices.Contains(all, s) {
			return
		}
		all = append(all, s)
		for i := range s.Attributes {
			if a := &s.Attributes[i]; a.Shape != nil {
				visit(objectShape(a))
			}
		}
	}
	for i := range mapping.Table {
		visit(mapping.Table[i].Result)
	}
	return all
}

type (
	members = mapping.Members
	member  = mapping.Member
)

// examples are responses of the demo, one file for each language, made by its test.
//
//go:embed examples/*.json
var examples embed.FS

// exampleOf returns an example of a response to e; nil if it has none. A create and an
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

// requestExample returns the body that would have made the example of the response: the
// fields that a create requires, and the first of these for an update.
func (d document) requestExample(e *mapping.Endpoint) any {
	response := d.examples[exampleName(e)]
	if response == nil {
		return nil
	}
	m := members{}
	for i := range e.Fields {
		if p := &e.Fields[i]; p.Required && (len(m) == 0 || e.Action == mapping.Create) {
			m = append(m, member{p.Name, jsonscan.Get(response, p.Name)})
		}
	}
	return m
}
