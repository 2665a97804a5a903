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
	var texts []string
	for _, key := range notes(e) {
		texts = append(texts, d.text(key))
	}
	op := append(d.describe(e, id, e.Name(), strings.Join(texts, "\n\n")), member{"parameters", parameterRefs(e)})
	op = op.with(len(e.Fields) > 0, "requestBody", d.requestBody(e))
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

// notes returns the keys of the texts that a client has to know about a row.
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
	content := members{{"application/json", body.with(example != nil, "example", example)}}
	return members{
		{"description", d.text("document.body")},
		{"required", e.Action == mapping.Create},
		{"content", content.
			with(!d.forClients, "application/x-www-form-urlencoded", body.with(len(encoding) > 0, "encoding", encoding)).
			with(!d.forClients, "multipart/form-data", body)},
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

// parameter is the component of a parameter of path or query.
func (d document) parameter(e *mapping.Endpoint, p *mapping.Param) members {
	return members{
		{"name", p.Name},
		{"in", map[mapping.In]string{mapping.InQuery: "query", mapping.InPath: "path"}[p.In]},
		{"description", d.paramText(e, p)},
		{"required", e.Requires(p)},
	}.with(isList(p.Kind), "style", "form").with(isList(p.Kind), "explode", false).with(p.AliasOf != "", "x-alias-of", p.AliasOf).
		with(true, "schema", d.paramSchema(p, false))
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

func textSchema(p *mapping.Param, null bool) members {
	m := typed("string", null)
	if p.Enum != nil {
		return append(m, member{"enum", p.Enum})
	}
	// Known values are no enum: a site may have more.
	return m.with(p.Known != nil, "examples", p.Known).
		with(p.Filled, "minLength", 1).with(p.Limit() != mapping.Unlimited, "maxLength", p.Limit())
}

// dates returns examples for the schema and not for the parameter: the page for people would send one of the
// parameter with each request that is tried.
func dates(p *mapping.Param) []string {
	if p.In == mapping.InQuery {
		return []string{"2027-03-01", "2027-03-01 18:00:00", "now"}
	}
	return []string{"2027-03-01 18:00:00", "2027-03-01T18:00:00+01:00", "tomorrow 18:00"}
}

func bounded(m members, p *mapping.Param) members {
	return append(m, member{"minimum", p.Min}).with(p.Max != 0, "maximum", p.Max)
}

func listSchema(item members, null bool, most int) members {
	return append(listOfSchema(item, null), member{"maxItems", most})
}

// responses returns the responses to the row's own methods.
func (d document) responses(e *mapping.Endpoint) members {
	out := members{{strconv.Itoa(e.Success()), ref("responses", resultName(e))}}
	if !e.Writes() {
		out = append(out, d.notModified(e)...)
	}
	if d.forClients {
		return append(out, member{"default", ref("responses", clientError)})
	}
	for _, f := range failures {
		if f.among(e) {
			out = append(out, member{strconv.Itoa(f.status), ref("responses", strconv.Itoa(f.status))})
		}
	}
	return append(out, member{"default", ref("responses", "default")})
}

// success is the component of a response. Rows by ID and by slug share it.
func (d document) success(e *mapping.Endpoint) members {
	content := members{{"schema", ref("schemas", resultSchema(e))}}
	examples := members{{"demo", ref("examples", exampleName(e))}}
	return members{
		{"description", d.text("response." + string(e.Action))},
		{"headers", headerRefs(e, e.Success())},
		{"content", members{{"application/json", content.with(d.exampleOf(e) != nil, "examples", examples)}}},
	}
}

// resultName is the name of the component of a response. Schemas have other names, since
// generators make types of both.
func resultName(e *mapping.Endpoint) string {
	return camel(strings.TrimSuffix(operationName(e), "_by_slug")) + "Result"
}

// notModified returns the 304 of a response that has a validator.
func (d document) notModified(e *mapping.Endpoint) members {
	if e.Action == mapping.Index {
		return nil // it has today's defaults
	}
	response := members{{"description", d.text("response.not_modified")}}
	return members{{"304", response.with(!d.forClients, "headers", headerRefs(e, http.StatusNotModified))}}
}

// requestFields are the header fields of requests that have an effect, beside those that clients sign
// in with.
var requestFields = []struct {
	name  string
	among among
}{
	{"If-Match", writeRows}, {"If-None-Match", notIndex}, {"If-Unmodified-Since", writeRows}, {"Prefer", updateRows},
}

// field is a header field of responses.
type field struct {
	name   string
	among  among // the endpoints that can have it
	status []int // of the responses, or one of the classes below; nil: all
}

// responseFields are the header fields that clients can use. Others describe how a
// browser should treat the response.
var responseFields = []field{
	{"Age", reads304, nil},
	{"Allow", forwarded, nil},
	{"Cache-Control", allRows, nil},
	{"Cache-Status", forwarded, nil},
	{"Content-Language", allRows, nil},
	{"ETag", reads304, nil},
	{"Expires", forwarded, nil},
	{"Link", listRows, []int{200, refusals, others}},
	{"Location", createRows, []int{201}},
	{"Preference-Applied", updateRows, nil},
	{"RateLimit", allRows, nil},
	{"RateLimit-Policy", allRows, nil},
	{"Retry-After", allRows, []int{429, 503}},
	{"Vary", allRows, nil},
	{"WWW-Authenticate", forwarded, []int{401}},
	{mapping.HeaderDropped, forwarded, nil},
	{mapping.HeaderTotal, listRows, []int{200}},
	{mapping.HeaderTotalPages, listRows, []int{200}},
	{"X-Request-Id", allRows, nil},
	{"X-WP-Nonce", forwarded, nil},
	{mapping.HeaderWPTotal, listRows, []int{200}},
	{mapping.HeaderWPTotalPages, listRows, []int{200}},
}

// Classes of statuses.
const (
	refusals = 4 // all 4xx
	others   = 0 // those that an operation does not name
)

func (h *field) at(status int) bool {
	return slices.Contains(h.status, status) || slices.Contains(h.status, status/100)
}

// notModifiedFields are the fields of a 304: those that update a stored response, and those about the request.
var notModifiedFields = []string{"Age", "Cache-Control", "Cache-Status", "ETag", "RateLimit", "RateLimit-Policy", "Vary", "X-Request-Id",
	"X-WP-Nonce"}

// headerRefs returns the header fields of responses of e with one of the statuses; of any row for nil.
func headerRefs(e *mapping.Endpoint, statuses ...int) members {
	m := members{}
	for i := range responseFields {
		h := &responseFields[i]
		// The index is the table's own, but lists its methods and names this document.
		ours := e == nil || h.among(e) || e.Action == mapping.Index && (h.name == "Allow" || h.name == "Link")
		if slices.Contains(statuses, http.StatusNotModified) && !slices.Contains(notModifiedFields, h.name) {
			continue
		}
		if ours && (h.status == nil || slices.ContainsFunc(statuses, h.at)) {
			m = append(m, member{h.name, ref("headers", h.name)})
		}
	}
	return m
}

// failure is a status that an endpoint can fail with, and the codes that come
// with it.
type failure struct {
	status int
	among  among
	codes  []string // the facade's own; each has a text, "error." and the code
	site   []string // the site's codes that recordings show
}

// failures are in the order of their statuses. A method that a path does not
// have is no operation's failure; see document.methods.
var failures = []failure{
	{400, allRows, []string{
		"rest_invalid_param", "rest_missing_callback_param", "rest_invalid_json", "rest_invalid_body", "rest_too_many_params",
		"calendar_content_range", "db_insert_error", "empty_content", "empty_term_name",
	}, []string{
		"term_exists", "rest-invalid-event-id", "could-not-create-venue", "could-not-create-organizer",
		"rest_taxonomy_not_hierarchical",
	}},
	{401, forwarded, []string{"rest_forbidden"}, []string{"incorrect_password", "invalid_username", "invalid_email"}},
	{403, forwarded, []string{
		"calendar_credentials_refused", "calendar_tester_refused",
	}, []string{
		"rest_forbidden", "rest_cookie_invalid_nonce", "event-password-protected", "event-not-accessible",
		"event-no-longer-available", "venue-not-accessible", "organizer-not-accessible",
	}},
	{404, allRows, []string{
		"rest_no_route", "rest_invalid_namespace", "calendar_not_found",
	}, []string{
		"rest-event-not-found", "event-archive-page-not-found", "venue-archive-page-not-found",
		"organizer-archive-page-not-found",
	}},
	{409, writeRows, []string{"calendar_update_drift", "duplicate_term_slug"}, nil},
	{410, trashRows, nil, []string{"event-is-in-trash", "venue-is-in-trash", "organizer-is-in-trash"}},
	{412, writeRows, []string{"calendar_precondition_failed"}, nil},
	{413, writeRows, []string{"rest_content_too_large"}, nil},
	{414, allRows, []string{"rest_uri_too_long"}, nil},
	{415, writeRows, []string{"rest_unsupported_media_type", "calendar_unsupported_charset"}, nil},
	{429, allRows, []string{"calendar_rate_limited"}, nil},
	{500, allRows, []string{"calendar_internal"}, nil},
	{501, forwarded, []string{"calendar_not_supported"}, nil},
	{502, forwarded, []string{"calendar_upstream_failed", "calendar_upstream_invalid", "calendar_not_recorded"}, nil},
	{503, allRows, []string{"calendar_upstream_unavailable", "calendar_overloaded", "calendar_read_only"}, nil},
	{504, forwarded, []string{"calendar_upstream_timeout", "calendar_write_outcome_unknown"}, nil},
}

// OwnCode reports whether a code is the facade's own, and not the site's.
func OwnCode(code string) bool {
	return slices.ContainsFunc(failures, func(f failure) bool { return slices.Contains(f.codes, code) })
}

// blanks fill the placeholders of a text that is not about one request.
var blanks = map[string]string{"Params": "…", "Max": "…"}

// failure is the component of a status: its meaning, and each code with its
// message.
func (d document) failure(f *failure) members {
	text := d.text("response." + strconv.Itoa(f.status))
	for _, code := range f.codes {
		text += "\n- `" + code + "`" + d.text("list.colon") + " " + d.texts.Text("error."+code, blanks)
	}
	for _, code := range f.site {
		text += "\n- `" + code + "`"
	}
	return append(d.failed(text, f.status), member{"x-codes", slices.Concat(f.codes, f.site)})
}

// failed is the response to what failed, in both of its forms.
func (d document) failed(text string, status int) members {
	content := members{{"application/json", members{{"schema", ref("schemas", "Error")}}}}.
		with(!d.forClients, "application/problem+json", members{{"schema", ref("schemas", "Problem")}})
	return members{{"description", text}, {"headers", headerRefs(nil, status)}, {"content", content}}
}
