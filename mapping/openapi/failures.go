package openapi

import (
	"slices"
	"strconv"

	"github.com/calfacade/calfacade/mapping"
)

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

func (f *failure) of(e *mapping.Endpoint) bool { return f.among.has(e) }

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
	return append(d.failed(text, f.status), member{"x-codes", append(append([]string{}, f.codes...), f.site...)})
}

// failed is the response to what failed, in both of its forms.
func (d document) failed(text string, status int) members {
	return members{
		{"description", text},
		{"headers", failureHeaders(status)},
		{"content", members{
			{"application/json", members{{"schema", ref("schemas", camel(errorShape.Name))}}},
			{"application/problem+json", members{{"schema", ref("schemas", camel(problemShape.Name))}}},
		}},
	}
}

// failureHeaders are the header fields of what failed with one of the statuses.
func failureHeaders(statuses ...int) members {
	m := members{}
	for i := range responseFields {
		if h := &responseFields[i]; h.status == nil || slices.ContainsFunc(statuses, h.at) {
			m = append(m, member{h.name, ref("headers", h.name)})
		}
	}
	return m
}
