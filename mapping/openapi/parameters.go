package openapi

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
)

// parameter is the component of a parameter of path or query.
func (d document) parameter(e *mapping.Endpoint, p *mapping.Param) members {
	return members{
		{"name", p.Name},
		{"in", places[p.In]},
		{"description", d.paramText(e, p)},
		{"required", e.Requires(p)},
	}.With(isList(p.Kind), "style", "form").With(isList(p.Kind), "explode", false).With(p.AliasOf != "", "x-alias-of", p.AliasOf).
		With(true, "schema", d.paramSchema(p, false))
}

// paramText is the parameter's description, with a default that depends on the day, which no
// schema can express.
func (d document) paramText(e *mapping.Endpoint, p *mapping.Param) string {
	text := d.text(paramKey(e, p))
	key := generatedKeys[p.Generated]
	if key != "" {
		text += " " + d.text(key)
	}
	return text
}

// paramKey is the key of p's description in the catalogs, such as
// "events.query.search" or "venues.field.city".
func paramKey(e *mapping.Endpoint, p *mapping.Param) string {
	if p.Text != "" {
		return p.Text
	}
	return strings.TrimPrefix(e.Resource+"."+places[p.In]+"."+p.Name, ".")
}

// places are the names of the places of parameters; of those in path and query they are OpenAPI's.
var places = map[mapping.In]string{mapping.InQuery: "query", mapping.InPath: "path", mapping.InBody: "field"}

// generatedKeys are the keys of the texts for defaults that depend on the day.
var generatedKeys = map[mapping.Generated]string{
	mapping.LastMidnight: "default.last_midnight", mapping.TwoYearsOn: "default.two_years_on",
}

// input is the component of the body of a write: the fields, and the parameters
// that a body may have as well as the query.
func (d document) input(e *mapping.Endpoint) members {
	properties := members{}
	required := []any{}
	for _, p := range e.Args {
		if p.In == mapping.InPath {
			continue
		}
		schema := d.paramSchema(p, e.AcceptsNull(p)).With(true, "description", d.paramText(e, p))
		properties = append(properties, member{Name: p.Name, Value: schema})
		if e.Requires(p) {
			required = append(required, p.Name)
		}
	}
	return object(d.text("schema."+string(e.Action)), required, properties)
}

// paramSchema has the default for a request without the parameter. An update may leave a missing
// parameter unchanged, and empties a parameter that is null: the description says so.
func (d document) paramSchema(p *mapping.Param, null bool) members {
	schema := typeSchema(p)
	value := typedDefault(p)
	loose := p.Kind == mapping.BooleanLike && !d.forClients // any other text is false
	if loose {
		schema = anyText.With(true, "examples", []string{"true", "false"})
	}
	if loose || p.Kind == mapping.Untyped && p.Default != "" && p.Default != "null" {
		value = p.Default
	}
	if null {
		schema = nullable(schema)
	}
	return schema.With((value != nil || p.Null && null) && (!d.forClients || p.In != mapping.InBody), "default", value)
}

// typedDefault is the Default as a JSON value; nil without a Default.
func typedDefault(p *mapping.Param) any {
	switch {
	case p.Default == "":
		return nil
	case p.Kind == mapping.Untyped, p.Kind.JSONType() != "string":
		return jsontext.Value(p.Default)
	}
	return p.Default
}

// kindSchemas are the schemas of the kinds of values. Parameters add further members.
var kindSchemas = map[mapping.Kind]members{
	mapping.Text:        anyText,
	mapping.Slug:        {{"type", "string"}, {"minLength", 1}, {"maxLength", mapping.MaxSlug}, {"pattern", "^[^/]+$"}},
	mapping.DateTime:    anyText,
	mapping.Boolean:     anyBoolean,
	mapping.BooleanLike: anyBoolean,
	mapping.Integer:     anyWhole,
	mapping.Number:      anyNumber.With(true, "format", "double"),
	mapping.ID:          anyID,
	mapping.Untyped:     anyText,
	mapping.Price:       oneOf(anyText, anyNumber, anyBoolean, atMost(mapping.MaxItems, oneOf(anyText, anyNumber))),
	mapping.TextLike:    oneOf(anyText, anyWhole, anyBoolean),
	mapping.Image:       oneOf(anyText, anyWhole),
	mapping.IDSet:       atMost(mapping.MaxItems, anyID),
	mapping.TermSet:     atMost(mapping.MaxItems, anyText),
	mapping.FieldSet:    atMost(mapping.MaxFields, anyText),
	mapping.Terms:       atMost(mapping.MaxItems, oneOf(anyID, anyText)),
}

func atMost(n int, item members) members { return listOf(item).With(true, "maxItems", n) }

func typeSchema(p *mapping.Param) members {
	schema := kindSchemas[p.Kind]
	switch p.Kind {
	case mapping.Text:
		if p.Enum != nil {
			return schema.With(true, "enum", p.Enum)
		}
		// Known values are no enum: a site may have more.
		return schema.With(p.Known != nil, "examples", p.Known).
			With(p.Filled, "minLength", 1).With(p.Limit() != mapping.Unlimited, "maxLength", p.Limit())
	case mapping.DateTime:
		// For the schema and not for the parameter: the page for people would send one of the parameter with
		// each request that is tried.
		examples := []string{"2027-03-01 18:00:00", "2027-03-01T18:00:00+01:00", "tomorrow 18:00"}
		if p.In == mapping.InQuery {
			examples = []string{"2027-03-01", "2027-03-01 18:00:00", "now"}
		}
		return schema.With(true, "examples", examples)
	case mapping.Integer, mapping.Number:
		return schema.With(true, "minimum", p.Min).With(p.Max != 0, "maximum", p.Max)
	case mapping.Links:
		inline := ref("schemas", camel(p.Of+"."+string(mapping.Create)))
		limit := mapping.MaxItems
		if p.Single {
			limit = 1
		}
		return oneOf(anyID, inline, atMost(limit, oneOf(anyID, inline)))
	}
	return schema
}

func isList(k mapping.Kind) bool { return k.JSONType() == "array" }
