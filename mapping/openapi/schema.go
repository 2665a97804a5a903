package openapi

import "github.com/calfacade/calfacade/mapping"

// typed is a schema of one type, or of null where that may be too.
func typed(name string, null bool) members {
	if null {
		return members{{"type", []string{name, "null"}}}
	}
	return members{{"type", name}}
}

// oneOf is the schema of what is one of several types.
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

// documentedShapes lists every shape that a client can meet, each once, those that
// contain others before them.
func documentedShapes() []*mapping.Shape {
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
	for _, s := range []*mapping.Shape{routeShape, errorShape, problemShape} {
		visit(s)
	}
	return all
}

// resultOf is what a success answers with.
func resultOf(e *mapping.Endpoint) *mapping.Shape {
	switch e.Action {
	case mapping.Index:
		return namespaceShape
	case mapping.Doc:
		return documentShape
	}
	return e.Result
}
