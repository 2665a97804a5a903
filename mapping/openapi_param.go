package mapping

// parameter is the component of a parameter of path or query.
func (d document) parameter(e *Endpoint, p *Param) members {
	m := members{
		{"name", p.Name},
		{"in", map[In]string{InQuery: "query", InPath: "path"}[p.In]},
		{"description", d.paramText(e, p)},
		{"required", e.Requires(p)},
	}
	if p.Kind.isList() {
		m = append(m, member{"style", "form"}, member{"explode", false})
	}
	if p.AliasOf != "" {
		m = append(m, member{"x-alias-of", p.AliasOf})
	}
	return append(m, member{"schema", d.paramSchema(p)})
}

// paramText is the parameter's description, with the default that no schema can
// tell because it depends on the day.
func (d document) paramText(e *Endpoint, p *Param) string {
	text := d.text(e.TextKey(p))
	if key := p.Generated.textKey(); key != "" {
		text += " " + d.text(key)
	}
	return text
}

func (g Generated) textKey() string {
	return map[Generated]string{LastMidnight: "default.last_midnight", TwoYearsOn: "default.two_years_on"}[g]
}

// input is the component of the body of a write: its fields, and what else may
// stand in a body as well as in the query.
func (d document) input(e *Endpoint) members {
	properties, required := members{}, []string{}
	for _, p := range e.Args() {
		if p.In == InPath {
			continue
		}
		properties = append(properties, member{p.Name, append(d.fieldSchema(e, p), member{"description", d.paramText(e, p)})})
		if e.Requires(p) {
			required = append(required, p.Name)
		}
	}
	m := members{{"type", "object"}, {"description", d.text("schema." + string(e.Action))}}
	if len(required) > 0 {
		m = append(m, member{"required", required})
	}
	return append(m, member{"properties", properties})
}

func (d document) paramSchema(p *Param) members {
	m := p.typeSchema()
	switch {
	case p.Default != "" && p.Kind == Untyped:
		m = append(m, member{"default", p.Default})
	case p.Default != "":
		m = append(m, member{"default", p.typedDefault()})
	}
	return m
}

// fieldSchema has no default in an update, where what is not sent may stay as it
// is, and none that is null: generators of types make fields required by it.
func (d document) fieldSchema(e *Endpoint, p *Param) members {
	if e.Action != Create {
		return p.typeSchema()
	}
	return d.paramSchema(p)
}

func (p *Param) typeSchema() members {
	text, number := members{{"type", "string"}}, members{{"type", "integer"}, {"minimum", 1}}
	switch p.Kind {
	case Text:
		return p.textSchema()
	case Slug:
		return members{{"type", "string"}, {"minLength", 1}, {"maxLength", maxSlug}, {"pattern", "^[^/]+$"}}
	case DateTime:
		return typed("string", p.Null)
	case Boolean, BooleanLike:
		return typed("boolean", p.Null)
	case Integer, Number:
		return p.numberSchema()
	case ID:
		return number
	case Untyped:
		if p.In == InQuery {
			return text
		}
		return p.orNull(text, members{{"type", "number"}}, members{{"type", "boolean"}})
	case Price:
		scalars := []members{text, {{"type", "number"}}, {{"type", "boolean"}}}
		return p.orNull(append(scalars, p.listSchema(oneOf(scalars[:2]...)))...)
	case TextLike:
		return p.orNull(text, members{{"type", "integer"}}, members{{"type", "boolean"}})
	case IDSet:
		return p.listSchema(number)
	case TermSet:
		return p.listSchema(text)
	case Terms:
		return p.listSchema(oneOf(number, text))
	case Links:
		inline := ref("schemas", camel(p.Of+"."+string(Create)))
		return p.orNull(number, inline, p.itemsOf(oneOf(number, inline)))
	}
	panic("BUG: no schema for the kind of " + p.Name)
}

func (p *Param) orNull(schemas ...members) members {
	if p.Null {
		schemas = append(schemas, members{{"type", "null"}})
	}
	return oneOf(schemas...)
}

func (p *Param) textSchema() members {
	m := typed("string", p.Null)
	if p.Enum != nil {
		return append(m, member{"enum", p.Enum})
	}
	if p.Filled {
		m = append(m, member{"minLength", 1})
	}
	if limit := p.limit(); limit != unlimited {
		m = append(m, member{"maxLength", limit})
	}
	return m
}

func (p *Param) numberSchema() members {
	m := typed(p.Kind.typeName(), p.Null)
	if p.Kind == Number {
		m = append(m, member{"format", "double"}) // generators would take the small one
	}
	m = append(m, member{"minimum", p.Min})
	if p.Max != 0 {
		m = append(m, member{"maximum", p.Max})
	}
	return m
}

func (p *Param) listSchema(item members) members {
	return append(listOfSchema(item, p.Null), member{"maxItems", maxItems})
}

func (p *Param) itemsOf(item members) members {
	most := maxItems
	if p.Single {
		most = 1
	}
	return append(listOfSchema(item, false), member{"maxItems", most})
}
