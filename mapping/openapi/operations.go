package openapi

import (
	"cmp"
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
	op := append(d.describe(e, id, e.Name(), d.notes(e)), member{Name: "parameters", Value: d.parameterRefs(e)})
	op = op.With(len(e.Fields) > 0, "requestBody", d.requestBody(e))
	return append(op,
		member{Name: "responses", Value: d.responses(e)},
		member{Name: "security", Value: d.security(e)},
	)
}

// describe returns the texts of an operation for people. summary is the key of a text.
func (d document) describe(e *mapping.Endpoint, id, summary, description string) members {
	return members{{"operationId", id}, {"summary", d.text(summary)}, {"description", description}, {"tags", []string{tagOf(e)}}}
}

func tagOf(e *mapping.Endpoint) string { return cmp.Or(e.Resource, general) }

// general is the tag of the endpoints that have no resource.
const general = "general"

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
		{"parameters", d.parameterRefs(e)},
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

// security lists the credentials: reads work without, and return more with credentials.
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

func (d document) parameterRefs(e *mapping.Endpoint) []any {
	var refs []any
	for _, p := range e.Args {
		if p.In != mapping.InBody {
			refs = append(refs, ref("parameters", paramKey(e, p)))
		}
	}
	for _, p := range d.extensionsOf(e) {
		refs = append(refs, ref("parameters", p.Text))
	}
	fields := requestFields
	if d.extensions {
		fields = slices.Concat(extensionFields, fields)
	}
	for _, a := range fields {
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
