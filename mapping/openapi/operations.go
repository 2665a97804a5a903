package openapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

func (d document) operation(e *mapping.Endpoint, method string) members {
	id := operationName(e)
	if len(d.methods(e)) > 1 {
		id += "." + strings.ToLower(method)
	}
	op := append(d.describe(e, id, e.Name(), d.notes(e)), member{"parameters", parameterRefs(e)})
	op = op.With(len(e.Fields) > 0, "requestBody", d.requestBody(e))
	return append(op, member{"responses", d.responses(e)}, member{"security", d.security(e)})
}

// describe returns what people read of an operation. summary is the key of a text.
func (d document) describe(e *mapping.Endpoint, id, summary, description string) members {
	return members{{"operationId", id}, {"summary", d.text(summary)}, {"description", description}, {"tags", []string{tagOf(e)}}}
}

// head describes the HEAD that every GET implies.
func (d document) head(e *mapping.Endpoint) members {
	success := members{{"description", d.text("response.head")}, {"headers", headerRefs(e, http.StatusOK)}}
	failure := members{
		{"description", d.text("response.head_error")},
		{"headers", headerRefs(nil, http.StatusUnauthorized, http.StatusServiceUnavailable)},
	}
	return append(d.describe(e, operationName(e)+".head", "document.head", d.text("note.head")), members{
		{"parameters", parameterRefs(e)},
		{"responses", append(append(members{{"200", success}}, d.notModified(e)...), member{"404", failure}, member{"default", failure})},
		{"security", d.security(e)},
	}...)
}

// options describes the OPTIONS that every path implies; first is the path's first row.
func (d document) options(first *mapping.Endpoint) members {
	var parameters []any
	for _, p := range first.Args {
		if p.In == mapping.InPath || p == &mapping.Language {
			parameters = append(parameters, ref("parameters", paramKey(first, p)))
		}
	}
	return append(d.describe(first, operationName(first)+".options", "document.options", d.text("note.options")), members{
		{"parameters", parameters},
		{"responses", d.own("optionsResponses")},
		{"security", []any{members{}}},
	}...)
}

// notes returns the texts that a client has to know about a row.
func (d document) notes(e *mapping.Endpoint) string {
	var texts []string
	add := func(when bool, key string) {
		if when {
			texts = append(texts, d.text(key))
		}
	}
	add(e.Action == mapping.Index, "note.index")
	add(e.Action == mapping.Doc, "note.doc")
	windowed := slices.ContainsFunc(e.Params, func(p mapping.Param) bool { return p.Generated != mapping.NotGenerated })
	add(e.Action == mapping.List && windowed, "note.window")
	add(e.Action == mapping.List, "note.paging")
	add(e.Action == mapping.List && !e.OfTerms(), "note.page_past_the_end")
	add(e.Action == mapping.List && e.OfTerms(), "note.page_past_the_end_of_terms")
	add(e.Action == mapping.Create, "note.create")
	add(e.Action == mapping.Create && e.OfLinked(), "note.same_name")
	add(e.Action == mapping.Read, "note.read")
	add(e.Action == mapping.Read && !e.OfTerms(), "note.not_public")
	add(e.Action == mapping.Update, "note.update")
	resets := slices.ContainsFunc(e.Fields, func(p mapping.Param) bool { return p.Preserve != mapping.NotPreserved })
	add(e.Action == mapping.Update && resets, "note.reset")
	add(e.Action == mapping.Delete && e.OfTerms(), "note.deleted")
	add(e.Action == mapping.Delete && !e.OfTerms(), "note.trash")
	return strings.Join(texts, "\n\n")
}

// security lists the credentials: reads need none, and return more with them.
func (d document) security(e *mapping.Endpoint) []any {
	none := members{}
	if e.Local() {
		return []any{none}
	}
	schemes := []any{members{{"basic", []string{}}}}
	if !d.forClients {
		schemes = append(schemes, members{{"cookie", []string{}}, {"nonce", []string{}}})
	}
	if e.Writes() {
		return schemes
	}
	return append([]any{none}, schemes...)
}

func parameterRefs(e *mapping.Endpoint) []any {
	var refs []any
	for _, p := range e.Args {
		if p.In != mapping.InBody {
			refs = append(refs, ref("parameters", paramKey(e, p)))
		}
	}
	for _, a := range requestFields {
		if a.among(e) {
			refs = append(refs, ref("parameters", a.name))
		}
	}
	return refs
}

func (d document) requestBody(e *mapping.Endpoint) members {
	schema := ref("schemas", camel(e.Name()))
	encoding := members{}
	for i := range e.Fields {
		if p := &e.Fields[i]; isList(p.Kind) {
			encoding = append(encoding, member{p.Name, members{{"style", "form"}, {"explode", false}}})
		}
	}
	body, example := members{{"schema", schema}}, d.requestExample(e)
	content := members{{"application/json", body.With(example != nil, "example", example)}}
	return members{
		{"description", d.text("document.body")},
		{"required", e.Action == mapping.Create},
		{"content", content.
			With(!d.forClients, "application/x-www-form-urlencoded", body.With(len(encoding) > 0, "encoding", encoding)).
			With(!d.forClients, "multipart/form-data", body)},
	}
}

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

// paramText is the parameter's description, with the default that no schema can
// express because it depends on the day.
func (d document) paramText(e *mapping.Endpoint, p *mapping.Param) string {
	text := d.text(paramKey(e, p))
	if key := generatedKeys[p.Generated]; key != "" {
		text += " " + d.text(key)
	}
	return text
}

// input is the component of the body of a write: its fields, and the parameters
// that a body may have as well as the query.
func (d document) input(e *mapping.Endpoint) members {
	properties, required := members{}, []string{}
	for _, p := range e.Args {
		if p.In == mapping.InPath {
			continue
		}
		schema := d.paramSchema(p, e.AcceptsNull(p))
		properties = append(properties, member{p.Name, append(schema, member{"description", d.paramText(e, p)})})
		if e.Requires(p) {
			required = append(required, p.Name)
		}
	}
	return object(d.text("schema."+string(e.Action)), required, properties)
}

// paramSchema has the default that a request without the parameter has. In an update what
// is not named may stay as it is, and null empties it: the description says so.
func (d document) paramSchema(p *mapping.Param, null bool) members {
	m := typeSchema(p, null)
	switch {
	case d.forClients && p.In == mapping.InBody:
	case p.Null && null:
		m = append(m, member{"default", nil})
	case p.Kind == mapping.Untyped:
		m = m.With(p.Default != "", "default", p.Default)
	default:
		m = m.With(p.Default != "", "default", typedDefault(p))
	}
	return m
}

func typeSchema(p *mapping.Param, null bool) members {
	text, whole := members{{"type", "string"}}, members{{"type", "integer"}, {"format", "int64"}}
	number := append(slices.Clone(whole), member{"minimum", 1})
	switch p.Kind {
	case mapping.Text:
		if p.Enum != nil {
			return append(typed("string", null), member{"enum", p.Enum})
		}
		// Known values are no enum: a site may have more.
		return typed("string", null).With(p.Known != nil, "examples", p.Known).
			With(p.Filled, "minLength", 1).With(p.Limit() != mapping.Unlimited, "maxLength", p.Limit())
	case mapping.Slug:
		return members{{"type", "string"}, {"minLength", 1}, {"maxLength", mapping.MaxSlug}, {"pattern", "^[^/]+$"}}
	case mapping.DateTime:
		// For the schema and not for the parameter: the page for people would send one of the parameter with
		// each request that is tried.
		examples := []string{"2027-03-01 18:00:00", "2027-03-01T18:00:00+01:00", "tomorrow 18:00"}
		if p.In == mapping.InQuery {
			examples = []string{"2027-03-01", "2027-03-01 18:00:00", "now"}
		}
		return append(typed("string", null), member{"examples", examples})
	case mapping.Boolean, mapping.BooleanLike:
		return typed("boolean", null)
	case mapping.Integer:
		// Without a format generators take the smaller type, and IDs of responses would not fit.
		return bounded(append(typed("integer", null), member{"format", "int64"}), p)
	case mapping.Number:
		return bounded(append(typed("number", null), member{"format", "double"}), p)
	case mapping.ID:
		return number
	case mapping.Untyped:
		if p.In == mapping.InQuery {
			return text
		}
		return orNull(null, text, members{{"type", "number"}}, members{{"type", "boolean"}})
	case mapping.Price:
		scalars := []members{text, {{"type", "number"}}, {{"type", "boolean"}}}
		return orNull(null, append(scalars, listSchema(oneOf(scalars[:2]...), false, mapping.MaxItems))...)
	case mapping.TextLike:
		return orNull(null, text, whole, members{{"type", "boolean"}})
	case mapping.Image:
		return orNull(null, text, whole)
	case mapping.IDSet:
		return listSchema(number, null, mapping.MaxItems)
	case mapping.TermSet:
		return listSchema(text, null, mapping.MaxItems)
	case mapping.Terms:
		return listSchema(oneOf(number, text), null, mapping.MaxItems)
	case mapping.Links:
		inline, most := ref("schemas", camel(p.Of+"."+string(mapping.Create))), mapping.MaxItems
		if p.Single {
			most = 1
		}
		return orNull(null, number, inline, listSchema(oneOf(number, inline), false, most))
	}
	panic("BUG: no schema for the kind of " + p.Name)
}

func orNull(null bool, schemas ...members) members {
	if null {
		schemas = append(schemas, typed("null", false))
	}
	return oneOf(schemas...)
}

func bounded(m members, p *mapping.Param) members {
	return append(m, member{"minimum", p.Min}).With(p.Max != 0, "maximum", p.Max)
}

func listSchema(item members, null bool, most int) members {
	return append(listOfSchema(item, null), member{"maxItems", most})
}
