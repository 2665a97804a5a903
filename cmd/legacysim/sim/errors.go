package sim

import (
	"strings"

	"github.com/calfacade/calfacade/i18n"
)

// answer is the result of an endpoint.
type answer struct {
	status  int
	body    any
	failed  bool   // _fields spares errors
	headers object // header fields that belong to the answer rather than to the site
}

func success(body any) (*answer, error) { return &answer{status: 200, body: body}, nil }

// apiError is an answer that reports an error, in the envelope of WordPress.
type apiError struct {
	status  int
	code    string
	message string
	data    any    // an object that begins with the status, unless the error is bare
	extra   object // beside data
}

func (e *apiError) Error() string { return e.code + ": " + e.message }

func (e *apiError) answer() *answer {
	body := object{{"code", e.code}, {"message", e.message}, {"data", e.data}}
	return &answer{status: e.status, body: append(body, e.extra...), failed: true}
}

// with adds a member to the data of an error that is not bare.
func (e *apiError) with(name string, value any) *apiError {
	e.data = e.data.(object).with(name, value)
	return e
}

// fail makes an error. The message depends on the status alone.
func (l *language) fail(status int, code string) *apiError {
	return &apiError{status: status, code: code, message: l.Messages[status], data: object{{"status", status}}}
}

// bare makes an error of WordPress that no code has prepared for a client.
func (l *language) bare(code string) *apiError {
	return &apiError{status: 500, code: code, message: l.Messages[500]}
}

// shared is a text of the catalogs, with values for the placeholders.
func (l *language) shared(key string, values map[string]string) string {
	return i18n.Catalog(l.code).Text(key, values)
}

// paramFault is the fault of one parameter. A fault without a code is the nameless verdict of a validate
// callback.
type paramFault struct {
	name, code, message string
}

// invalidParams has an object of messages, and details that are an empty list
// where no fault has a code.
func (l *language) invalidParams(faults []paramFault) *apiError {
	var names []string
	var params, details object
	for _, f := range faults {
		names = append(names, f.name)
		params = params.with(f.name, f.message)
		if f.code != "" {
			details = details.with(f.name, object{{"code", f.code}, {"message", f.message}, {"data", nil}})
		}
	}
	refused := l.fail(400, "rest_invalid_param")
	refused.message = l.shared("error.rest_invalid_param", map[string]string{"Params": strings.Join(names, ", ")})
	refused = refused.with("params", params)
	if details == nil { // PHP writes an empty array as []
		return refused.with("details", list{})
	}
	return refused.with("details", details)
}
