package mapping

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
func (d document) schema(s *Shape) members {
	properties, required := members{}, []string{}
	for i := range s.Attributes {
		a := &s.Attributes[i]
		m := a.schema()
		properties = append(properties, member{a.Name, append(m, member{"description", d.text(s.textKey(a))})})
		if !a.Optional {
			required = append(required, a.Name)
		}
	}
	m := members{{"type", "object"}, {"description", d.text(s.describedBy())}}
	if len(required) > 0 {
		m = append(m, member{"required", required})
	}
	return append(m, member{"properties", properties})
}

func (a *Attribute) schema() members {
	switch a.Type {
	case String:
		return typed("string", a.Null)
	case Digits:
		return append(typed("string", a.Null), member{"pattern", "^[0-9]+$"})
	case DayTime:
		return append(typed("string", a.Null), member{"pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$"})
	case Whole:
		return append(typed("integer", a.Null), member{"format", "int64"})
	case Bool:
		return typed("boolean", a.Null)
	case Strings:
		return listOfSchema(members{{"type", "string"}}, a.Null)
	case Scalar:
		return oneOf(typed("string", false), typed("number", false), typed("boolean", false), typed("null", false))
	case Free:
		return oneOf(typed("object", a.Null), emptyList)
	case Hidden:
		return oneOf(members{{"type", "string"}}, emptyList)
	case NamesOrTexts:
		return oneOf(listOfSchema(members{{"type", "string"}}, false), mapOf(members{{"type", "string"}}))
	}
	return a.objectSchema()
}

func (a *Attribute) objectSchema() members {
	object := ref("schemas", camel(a.values().Name))
	switch a.Type {
	case Single:
		if a.Null {
			return oneOf(object, members{{"type", "null"}})
		}
		return members{{"allOf", []any{object}}} // a description may stand beside it
	case SingleOrNone:
		return oneOf(object, members{{"type", "boolean"}, {"enum", []bool{false}}})
	case Several:
		return listOfSchema(object, false)
	case OneOrSeveral:
		return oneOf(object, listOfSchema(object, false))
	case Named:
		return oneOf(mapOf(object), emptyList)
	case NamedLists:
		return oneOf(mapOf(listOfSchema(object, false)), emptyList)
	}
	panic("BUG: no schema for the type of " + a.Name)
}

// values is the shape of an attribute's objects, or of their values where the
// names are data.
func (a *Attribute) values() *Shape {
	if a.Shape.Rest != nil {
		return a.Shape.Rest.Shape
	}
	return a.Shape
}

// shapesTold lists every shape that a client can meet, each once, those that
// contain others before them.
func shapesTold() []*Shape {
	var all []*Shape
	seen := map[*Shape]bool{}
	var visit func(s *Shape)
	visit = func(s *Shape) {
		if seen[s] {
			return
		}
		seen[s] = true
		all = append(all, s)
		for i := range s.Attributes {
			if a := &s.Attributes[i]; a.Shape != nil {
				visit(a.values())
			}
		}
	}
	for i := range Table {
		visit(Table[i].shape())
	}
	for _, s := range []*Shape{routeShape, errorShape, problemShape} {
		visit(s)
	}
	return all
}
