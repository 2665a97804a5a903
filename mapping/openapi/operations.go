package openapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

func (d document) operation(e *mapping.Endpoint, method string) members {
	id := operationName(e)
	if len(e.Methods) > 1 {
		id += "." + strings.ToLower(method)
	}
	var texts []string
	for _, key := range notes(e) {
		texts = append(texts, d.text(key))
	}
	op := members{
		{"operationId", id},
		{"summary", d.text(e.Name())},
		{"description", strings.Join(texts, "\n\n")},
		{"tags", []string{tagOf(e)}},
		{"parameters", parameterRefs(e)},
	}
	if len(e.Fields) > 0 {
		op = append(op, member{"requestBody", d.requestBody(e)})
	}
	return append(op, member{"responses", d.responses(e)}, member{"security", security(e)})
}

// head describes the HEAD that every GET implies.
func (d document) head(e *mapping.Endpoint) members {
	success := members{{"description", d.text("response.head")}, {"headers", headerRefs(e, http.StatusOK)}}
	failure := members{
		{"description", d.text("response.head_error")},
		{"headers", failureHeaders(http.StatusUnauthorized, http.StatusServiceUnavailable)},
	}
	return members{
		{"operationId", operationName(e) + ".head"},
		{"summary", d.text("document.head")},
		{"description", d.text("note.head")},
		{"tags", []string{tagOf(e)}},
		{"parameters", parameterRefs(e)},
		{"responses", append(append(members{{"200", success}}, d.notModified(e)...), member{"404", failure}, member{"default", failure})},
		{"security", security(e)},
	}
}

// options describes the OPTIONS that every path implies; first is the
// path's first row.
func (d document) options(first *mapping.Endpoint) members {
	var parameters []any
	for i := range first.Params {
		if p := &first.Params[i]; p.In == mapping.InPath {
			parameters = append(parameters, ref("parameters", paramKey(first, p)))
		}
	}
	parameters = append(parameters, ref("parameters", paramKey(first, &mapping.Language)))
	return members{
		{"operationId", operationName(first) + ".options"},
		{"summary", d.text("document.options")},
		{"description", d.text("note.options")},
		{"tags", []string{tagOf(first)}},
		{"parameters", parameters},
		{"responses", members{
			{"200", members{
				{"description", d.text("response.options")},
				{"headers", optionsHeaders("Content-Language")},
				{"content", members{{"application/json", members{{"schema", ref("schemas", camel(routeShape.Name))}}}}},
			}},
			{"204", members{{"description", d.text("response.preflight")}, {"headers", optionsHeaders()}}},
			{"404", ref("responses", "404")},
			{"414", ref("responses", "414")},
			{"429", ref("responses", "429")},
			{"default", ref("responses", "default")},
		}},
		{"security", []any{members{}}},
	}
}

// notes are the keys of what a client has to know of the row.
func notes(e *mapping.Endpoint) []string {
	var keys []string
	add := func(when bool, key string) {
		if when {
			keys = append(keys, key)
		}
	}
	add(e.Action == mapping.Index, "note.index")
	add(e.Action == mapping.Doc, "note.doc")
	add(e.Action == mapping.List && windowed(e), "note.window")
	add(e.Action == mapping.List, "note.paging")
	add(e.Action == mapping.List && !e.OfTerms(), "note.page_past_the_end")
	add(e.Action == mapping.List && e.OfTerms(), "note.page_past_the_end_of_terms")
	add(e.Action == mapping.Create, "note.create")
	add(e.Action == mapping.Create && e.OfLinked(), "note.same_name")
	add(e.Action == mapping.Read, "note.read")
	add(e.Action == mapping.Read && !e.OfTerms(), "note.not_public")
	add(e.Action == mapping.Update, "note.update")
	add(e.Action == mapping.Update && resets(e), "note.reset")
	add(e.Action == mapping.Delete && e.OfTerms(), "note.deleted")
	add(e.Action == mapping.Delete && !e.OfTerms(), "note.trash")
	return keys
}

// security lists the credentials: reads need none, and return more with them.
func security(e *mapping.Endpoint) []any {
	none := members{}
	if e.Local() {
		return []any{none}
	}
	schemes := []any{members{{"basic", []string{}}}, members{{"cookie", []string{}}, {"nonce", []string{}}}}
	if e.Writes() {
		return schemes
	}
	return append([]any{none}, schemes...)
}

func parameterRefs(e *mapping.Endpoint) []any {
	var refs []any
	for _, p := range e.Args() {
		if p.In != mapping.InBody {
			refs = append(refs, ref("parameters", paramKey(e, p)))
		}
	}
	for _, a := range requestFields {
		if a.among.has(e) {
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
	form := members{{"schema", schema}}
	if len(encoding) > 0 {
		form = append(form, member{"encoding", encoding})
	}
	json := members{{"schema", schema}}
	if example := requestExample(e, d.language); example != nil {
		json = append(json, member{"example", example})
	}
	return members{
		{"description", d.text("document.body")},
		{"required", e.Action == mapping.Create},
		{"content", members{
			{"application/json", json},
			{"application/x-www-form-urlencoded", form},
			{"multipart/form-data", members{{"schema", schema}}},
		}},
	}
}

// windowed reports whether a list has a default window of dates.
func windowed(e *mapping.Endpoint) bool {
	return slices.ContainsFunc(e.Params, func(p mapping.Param) bool { return p.Generated != mapping.NotGenerated })
}

// resets reports whether an update of the legacy resets fields of the item.
func resets(e *mapping.Endpoint) bool {
	return slices.ContainsFunc(e.Fields, func(p mapping.Param) bool { return p.Preserve != mapping.NotPreserved })
}
