package openapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// responses returns the responses to the row's own methods.
func (d document) responses(e *mapping.Endpoint) members {
	out := members{{strconv.Itoa(e.Success()), ref("responses", resultName(e))}}
	if !e.Writes() {
		out = append(out, d.notModified(e)...)
	}
	if d.forClients {
		return append(out, member{Name: "default", Value: ref("responses", clientError)})
	}
	for _, f := range d.failures() {
		if f.among(e) {
			out = append(out, member{
				Name:  strconv.Itoa(f.status),
				Value: ref("responses", strconv.Itoa(f.status)),
			})
		}
	}
	return append(out, member{Name: "default", Value: ref("responses", "default")})
}

// success is the component of a response. Rows by ID and by slug share the component.
func (d document) success(e *mapping.Endpoint) members {
	schema := map[mapping.Action]string{mapping.Index: "Namespace", mapping.Doc: "Document"}[e.Action]
	if e.Result != nil {
		schema = camel(e.Result.Name)
	}
	content := members{{"schema", ref("schemas", schema)}}
	examples := members{{"demo", ref("examples", exampleName(e))}}
	return members{
		{"description", d.text("response." + string(e.Action))},
		{"headers", headerRefs(e, e.Success())},
		{"content", members{{"application/json", content.With(d.exampleOf(e) != nil, "examples", examples)}}},
	}
}

// resultName is the name of the component of a response. Schemas have other names, since
// generators make types of both.
func resultName(e *mapping.Endpoint) string {
	return camel(strings.TrimSuffix(operationName(e), "_by_slug")) + "Result"
}

// notModified returns the 304 of a response to a read.
func (d document) notModified(e *mapping.Endpoint) members {
	response := members{{"description", d.text("response.not_modified")}}
	return members{{"304", response.With(!d.forClients, "headers", headerRefs(e, http.StatusNotModified))}}
}

// requestField is a header field of requests.
type requestField struct {
	name  string
	among among
}

// requestFields are the header fields of requests that have an effect, beside those that clients sign
// in with.
var requestFields = []requestField{
	{"If-Match", writeRows}, {"If-None-Match", allRows}, {"If-Unmodified-Since", writeRows}, {"Prefer", updateRows},
}

// extensionFields are the header fields beyond the specification.
var extensionFields = []requestField{{"Idempotency-Key", createRows}}

// field is a header field of responses.
type field struct {
	name   string
	among  among // the endpoints that can have the field
	status []int // of the responses, or one of the classes below; nil: all
	in304  bool  // a 304 has the field, to update a stored response, or about the request
}

// responseFields are the header fields that clients can use. Others describe how a
// browser should treat the response.
var responseFields = []field{
	{"Accept-Encoding", writeRows, []int{415}, false},
	{"Accept-Patch", writeRows, []int{415}, false},
	{"Accept-Post", writeRows, []int{415}, false},
	{"Age", readRows, nil, true},
	{"Allow", forwarded, nil, false},
	{"Cache-Control", allRows, nil, true},
	{"Cache-Status", forwarded, nil, true},
	{"Content-Language", allRows, nil, false},
	{"ETag", readRows, nil, true},
	{"Expires", forwarded, nil, false},
	{"Link", listRows, []int{200, refusals, otherStatuses}, false},
	{"Location", createRows, []int{201}, false},
	{"Preference-Applied", updateRows, nil, false},
	{"RateLimit", allRows, nil, true},
	{"RateLimit-Policy", allRows, nil, true},
	{"Retry-After", allRows, []int{429, 503}, false},
	{"Vary", allRows, nil, true},
	{"WWW-Authenticate", forwarded, []int{401}, false},
	{mapping.HeaderDropped, forwarded, nil, false},
	{mapping.HeaderTotal, listRows, []int{200}, false},
	{mapping.HeaderTotalPages, listRows, []int{200}, false},
	{"X-Request-Id", allRows, nil, true},
	{"X-WP-Nonce", forwarded, nil, true},
	{mapping.HeaderWPTotal, listRows, []int{200}, false},
	{mapping.HeaderWPTotalPages, listRows, []int{200}, false},
}

// Classes of statuses.
const (
	refusals      = 4 // all 4xx
	otherStatuses = 0 // those that an operation does not name
)

// headerRefs returns the header fields of responses of e with one of the statuses; of any row for nil.
func headerRefs(e *mapping.Endpoint, statuses ...int) members {
	m := members{}
	for i := range responseFields {
		h := &responseFields[i]
		// The index is the table's own, but lists the methods and names this document.
		ours := e == nil || h.among(e) || e.Action == mapping.Index && (h.name == "Allow" || h.name == "Link")
		applies := func(status int) bool {
			return (h.status == nil || slices.Contains(h.status, status) || slices.Contains(h.status, status/100)) &&
				(h.in304 || status != http.StatusNotModified)
		}
		if ours && slices.ContainsFunc(statuses, applies) {
			m = append(m, member{Name: h.name, Value: ref("headers", h.name)})
		}
	}
	return m
}

// failure is a status that an endpoint can fail with, and the codes of the status.
type failure struct {
	status int
	among  among
	codes  []string // the facade's own; each has a text, "error." and the code
	site   []string // the site's codes that recordings show
	beyond []string // the facade's own, of extensions
}

// failures returns the failures in the document. Only a document with extensions has the codes of extensions.
func (d document) failures() []failure {
	var documented []failure
	for _, f := range failures {
		if d.extensions {
			f.codes = slices.Concat(f.codes, f.beyond)
		}
		if len(f.codes)+len(f.site) > 0 {
			documented = append(documented, f)
		}
	}
	return documented
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
	}, []string{"calendar_idempotency_key_invalid"}},
	{401, forwarded, []string{"rest_forbidden"}, []string{"incorrect_password", "invalid_username", "invalid_email"}, nil},
	{403, forwarded, []string{
		"calendar_credentials_refused", "calendar_tester_refused",
	}, []string{
		"rest_forbidden", "rest_cookie_invalid_nonce", "event-password-protected", "event-not-accessible",
		"event-no-longer-available", "venue-not-accessible", "organizer-not-accessible",
	}, nil},
	{404, allRows, []string{
		"rest_no_route", "rest_invalid_namespace", "calendar_not_found",
	}, []string{
		"rest-event-not-found", "event-archive-page-not-found", "venue-archive-page-not-found",
		"organizer-archive-page-not-found",
	}, nil},
	{409, writeRows, []string{"calendar_update_drift", "duplicate_term_slug"}, nil, []string{"calendar_idempotency_in_progress"}},
	{410, trashRows, nil, []string{"event-is-in-trash", "venue-is-in-trash", "organizer-is-in-trash"}, nil},
	{412, writeRows, []string{"calendar_precondition_failed"}, nil, nil},
	{413, writeRows, []string{"rest_content_too_large"}, nil, nil},
	{414, allRows, []string{"rest_uri_too_long"}, nil, nil},
	{415, writeRows, []string{"rest_unsupported_media_type", "calendar_unsupported_charset", "calendar_unsupported_coding"}, nil, nil},
	{422, createRows, nil, nil, []string{"calendar_idempotency_key_reused"}},
	{429, allRows, []string{"calendar_rate_limited"}, nil, nil},
	{500, allRows, []string{"calendar_internal"}, nil, nil},
	{501, forwarded, []string{"calendar_not_supported"}, nil, nil},
	{502, forwarded, []string{"calendar_upstream_failed", "calendar_upstream_invalid", "calendar_not_recorded"}, nil, nil},
	{
		503, allRows, []string{"calendar_upstream_unavailable", "calendar_overloaded", "calendar_read_only"}, nil,
		[]string{"calendar_idempotency_unavailable"},
	},
	{504, forwarded, []string{"calendar_not_cached", "calendar_upstream_timeout", "calendar_write_outcome_unknown"}, nil, nil},
}

// OwnCode reports whether a code is the facade's own, and not the site's.
func OwnCode(code string) bool {
	return slices.ContainsFunc(failures, func(f failure) bool {
		return slices.Contains(f.codes, code) || slices.Contains(f.beyond, code)
	})
}

// blanks fill the placeholders of a text that is not about one request.
var blanks = map[string]string{"Params": "…", "Max": "…"}

// failure is the component of a status: the meaning, and each code with the message.
func (d document) failure(f *failure) members {
	text := d.text("response." + strconv.Itoa(f.status))
	for _, code := range f.codes {
		text += "\n- `" + code + "`" + d.text("list.colon") + " " + d.texts.Text("error."+code, blanks)
	}
	for _, code := range f.site {
		text += "\n- `" + code + "`"
	}
	return append(d.failed(text, f.status), member{Name: "x-codes", Value: slices.Concat(f.codes, f.site)})
}

// failed is the error response, in both forms.
func (d document) failed(text string, status int) members {
	content := members{{"application/json", members{{"schema", ref("schemas", "Error")}}}}.
		With(!d.forClients, "application/problem+json", members{{"schema", ref("schemas", "Problem")}})
	return members{{"description", text}, {"headers", headerRefs(nil, status)}, {"content", content}}
}

// among reports whether a part of the document is about an endpoint.
type among func(e *mapping.Endpoint) bool

func allRows(*mapping.Endpoint) bool { return true }

// forwarded selects the rows that the legacy answers.
func forwarded(e *mapping.Endpoint) bool { return !e.Local() }

func readRows(e *mapping.Endpoint) bool { return !e.Writes() }

func listRows(e *mapping.Endpoint) bool { return e.Action == mapping.List }

func writeRows(e *mapping.Endpoint) bool { return e.Writes() }

func createRows(e *mapping.Endpoint) bool { return e.Action == mapping.Create }

func updateRows(e *mapping.Endpoint) bool { return e.Action == mapping.Update }

// trashRows selects the deletions of items that stay in the trash.
func trashRows(e *mapping.Endpoint) bool { return e.Action == mapping.Delete && !e.OfTerms() }
