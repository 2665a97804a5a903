package openapi

import (
	"slices"

	"github.com/calfacade/calfacade/mapping"
)

// parameter is the component of a parameter of path or query.
func (d document) parameter(e *mapping.Endpoint, p *mapping.Param) members {
	m := members{
		{"name", p.Name},
		{"in", map[mapping.In]string{mapping.InQuery: "query", mapping.InPath: "path"}[p.In]},
		{"description", d.paramText(e, p)},
		{"required", e.Requires(p)},
	}
	if isList(p.Kind) {
		m = append(m, member{"style", "form"}, member{"explode", false})
	}
	if p.AliasOf != "" {
		m = append(m, member{"x-alias-of", p.AliasOf})
	}
	return append(m, member{"schema", d.paramSchema(p, false)})
}

// paramText is the parameter's description, with the default that no schema can
// express because it depends on the day.
func (d document) paramText(e *mapping.Endpoint, p *mapping.Param) string {
	text := d.text(paramKey(e, p))
	if key := generatedKey(p.Generated); key != "" {
		text += " " + d.text(key)
	}
	return text
}

// input is the component of the body of a write: its fields, and the parameters
// that a body may have as well as the query.
func (d document) input(e *mapping.Endpoint) members {
	properties, required := members{}, []string{}
	for _, p := range e.Args() {
		if p.In == mapping.InPath {
			continue
		}
		schema := d.paramSchema(p, e.AcceptsNull(p))
		properties = append(properties, member{p.Name, append(schema, member{"description", d.paramText(e, p)})})
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

// paramSchema has the default that a request without the parameter has. In an update what
// is not named may stay as it is, and null empties it: the description says so.
func (d document) paramSchema(p *mapping.Param, null bool) members {
	m := typeSchema(p, null)
	switch {
	case p.Null && null:
		m = append(m, member{"default", nil})
	case p.Default != "" && p.Kind == mapping.Untyped:
		m = append(m, member{"default", p.Default})
	case p.Default != "":
		m = append(m, member{"default", typedDefault(p)})
	}
	return m
}

func typeSchema(p *mapping.Param, null bool) members {
	text, whole := members{{"type", "string"}}, members{{"type", "integer"}, {"format", "int64"}}
	number := append(slices.Clone(whole), member{"minimum", 1})
	switch p.Kind {
	case mapping.Text:
		return textSchema(p, null)
	case mapping.Slug:
		return members{{"type", "string"}, {"minLength", 1}, {"maxLength", mapping.MaxSlug}, {"pattern", "^[^/]+$"}}
	case mapping.DateTime:
		return append(typed("string", null), member{"examples", dates(p)})
	case mapping.Boolean, mapping.BooleanLike:
		return typed("boolean", null)
	case mapping.Integer, mapping.Number:
		return numberSchema(p, null)
	case mapping.ID:
		return number
	case mapping.Untyped:
		if p.In == mapping.InQuery {
			return text
		}
		return orNull(null, text, members{{"type", "number"}}, members{{"type", "boolean"}})
	case mapping.Price:
		scalars := []members{text, {{"type", "number"}}, {{"type", "boolean"}}}
		return orNull(null, append(scalars, itemsOf(p, oneOf(scalars[:2]...)))...)
	case mapping.TextLike:
		return orNull(null, text, whole, members{{"type", "boolean"}})
	case mapping.Image:
		return orNull(null, text, whole)
	case mapping.IDSet:
		return listSchema(number, null)
	case mapping.TermSet:
		return listSchema(text, null)
	case mapping.Terms:
		return listSchema(oneOf(number, text), null)
	case mapping.Links:
		inline := ref("schemas", camel(p.Of+"."+string(mapping.Create)))
		return orNull(null, number, inline, itemsOf(p, oneOf(number, inline)))
	}
	panic("BUG: no schema for the kind of " + p.Name)
}

func orNull(null bool, schemas ...members) members {
	if null {
		schemas = append(schemas, members{{"type", "null"}})
	}
	return oneOf(schemas...)
}

func textSchema(p *mapping.Param, null bool) members {
	m := typed("string", null)
	if p.Enum != nil {
		return append(m, member{"enum", p.Enum})
	}
	if p.Known != nil {
		m = append(m, member{"examples", p.Known}) // no enum: a site may have more
	}
	if p.Filled {
		m = append(m, member{"minLength", 1})
	}
	if limit := p.Limit(); limit != mapping.Unlimited {
		m = append(m, member{"maxLength", limit})
	}
	return m
}

// dates are examples. They are those of the schema: the page for people would send one of the
// parameter with each request that is tried.
func dates(p *mapping.Param) []string {
	if p.In == mapping.InQuery {
		return []string{"2027-03-01", "2027-03-01 18:00:00", "now"}
	}
	return []string{"2027-03-01 18:00:00", "2027-03-01T18:00:00+01:00", "tomorrow 18:00"}
}

func numberSchema(p *mapping.Param, null bool) members {
	m := typed(p.Kind.JSONType(), null)
	// Without a format generators take the smaller type, and IDs of responses would not fit.
	format := "int64"
	if p.Kind == mapping.Number {
		format = "double"
	}
	m = append(m, member{"format", format}, member{"minimum", p.Min})
	if p.Max != 0 {
		m = append(m, member{"maximum", p.Max})
	}
	return m
}

func listSchema(item members, null bool) members {
	return append(listOfSchema(item, null), member{"maxItems", mapping.MaxItems})
}

func itemsOf(p *mapping.Param, item members) members {
	most := mapping.MaxItems
	if p.Single {
		most = 1
	}
	return append(listOfSchema(item, false), member{"maxItems", most})
}
