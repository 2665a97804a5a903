package openapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

func (d document) operation(e *mapping.Endpoint, method string) members {
	id := operationName(e)
	if len(d.methods(e)) > 1 {
		id += "." + strings.ToLower(method)
	}
	op := append(d.describe(e, id, e.Name(), d.notes(e)), member{Name: "parameters", Value: parameterRefs(e)})
	op = op.With(len(e.Fields) > 0, "requestBody", d.requestBody(e))
	return append(op,
		member{Name: "responses", Value: d.responses(e)},
		member{Name: "security", Value: d.security(e)},
	)
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
	responses := append(members{{"200", success}}, d.notModified(e)...)
	for _, f := range failures {
		if f.among(e) && f.status <= http.StatusNotFound {
			responses = append(responses, member{Name: strconv.Itoa(f.status), Value: failure})
		}
	}
	return append(d.describe(e, operationName(e)+".head", "document.head", d.text("note.head")), members{
		{"parameters", parameterRefs(e)},
		{"responses", append(responses, member{Name: "default", Value: failure})},
		{"security", d.security(e)},
	}...)
}

// options describes the OPTIONS that every path implies; first is the path's first row.
func (d document) options(first *mapping.Endpoint) members {
	var parameters []any
	for _, p := range first.Args {
		if p.In == mapping.InPath {
			parameters = append(parameters, ref("parameters", paramKey(first, p)))
		}
		if p == &mapping.Language { // another value has no effect
			parameters = append(parameters, d.parameter(first, &mapping.Param{Name: p.Name, In: p.In, Text: p.Text}))
		}
	}
	return append(d.describe(first, operationName(first)+".options", "document.options", d.text("note.options")), members{
		{"parameters", parameters},
		{"responses", d.ownPart("optionsResponses")},
		{"security", []any{members{}}},
	}...)
}

// notes returns the texts that a client has to know about a row.
func (d document) notes(e *mapping.Endpoint) string {
	var texts []string
	add := func(applies bool, key string) {
		if applies {
			texts = append(texts, d.text(key))
		}
	}
	add(e.Action == mapping.Index, "note.index")
	add(e.Action == mapping.Doc, "note.doc")
	windowed := slices.ContainsFunc(e.Params, func(p *mapping.Param) bool { return p.Generated != mapping.NotGenerated })
	add(e.Action == mapping.List && windowed, "note.window")
	add(e.Action == mapping.List, "note.paging")
	add(e.Action == mapping.List && !e.OfTerms(), "note.page_past_the_end")
	add(e.Action == mapping.List && e.OfTerms(), "note.page_past_the_end_of_terms")
	add(e.Action == mapping.Create, "note.create")
	add(e.Action == mapping.Create && e.OfLinked(), "note.same_name")
	add(e.Action == mapping.Read, "note.read")
	add(e.Action == mapping.Read && !e.OfTerms(), "note.not_public")
	add(e.Action == mapping.Update, "note.update")
	resets := slices.ContainsFunc(e.Fields, func(p *mapping.Param) bool { return p.Preserve })
	add(e.Action == mapping.Update && resets, "note.reset")
	add(e.Action == mapping.Delete && e.OfTerms(), "note.deleted")
	add(e.Action == mapping.Delete && !e.OfTerms(), "note.trash")
	return strings.Join(texts, "\n\n")
}

// security lists the credentials: reads need none, and return more with them.
func (d document) security(e *mapping.Endpoint) []any {
	anonymous := members{}
	if e.Local() {
		return []any{anonymous}
	}
	schemes := []any{members{{"basic", []string{}}}}
	if !d.forClients {
		schemes = append(schemes, members{{"cookie", []string{}}, {"nonce", []string{}}})
	}
	if e.Writes() {
		return schemes
	}
	return append([]any{anonymous}, schemes...)
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
	for _, p := range e.Fields {
		if isList(p.Kind) {
			encoding = append(encoding, member{
				Name:  p.Name,
				Value: members{{"style", "form"}, {"explode", false}},
			})
		}
	}
	body := members{{"schema", schema}}
	example := d.requestExample(e)
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

// paramSchema has the default that a request without the parameter has. In an update what
// is not named may stay as it is, and null empties it: the description says so.
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

// kindSchemas are the schemas of the kinds of values, but for what a parameter adds to them.
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
