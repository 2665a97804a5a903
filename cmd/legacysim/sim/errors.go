package sim

import "strings"

// apiError is an answer that reports an error, in the envelope of WordPress.
type apiError struct {
	status  int
	code    string
	message string
	data    object // what data has beside the status
	// extra stands beside data.
	extra object
	bare  bool // data is no object, but reason
	// reason is a text, or nil.
	reason any
}

func (e *apiError) Error() string { return e.code + ": " + e.message }

func (e *apiError) body() object {
	if e.bare {
		return object{{"code", e.code}, {"message", e.message}, {"data", e.reason}}
	}
	data := append(object{{"status", e.status}}, e.data...)
	return append(object{{"code", e.code}, {"message", e.message}, {"data", data}}, e.extra...)
}

// fail makes an error with a translated message.
func (l *language) fail(status int, code string, m message, args ...any) *apiError {
	return &apiError{status: status, code: code, message: l.text(m, args...)}
}

func (l *language) noRoute() *apiError { return l.fail(404, "rest_no_route", msgNoRoute) }

// bareError is one of WordPress's own that no code has prepared for a client.
func bareError(code, message string, reason any) *apiError {
	return &apiError{status: 500, code: code, message: message, bare: true, reason: reason}
}

// fatal is the response to a client that wants JSON after a fatal error of PHP: it comes
// before the last headers.
func (c *call) fatal() *apiError {
	c.allow, c.ended = nil, true
	e := c.root.lang.fail(500, "internal_server_error", msgCritical)
	e.data = object{{"error", object{{"type", 1}, {"message", "Uncaught TypeError"}, {"file", "Terms.php"}, {"line", 21}}}}
	e.extra = object{{"additional_errors", list{}}}
	return e
}

// missingParams lists the names: params is an array here, unlike below.
func (l *language) missingParams(names []string) *apiError {
	e := l.fail(400, "rest_missing_callback_param", msgMissing, strings.Join(names, ", "))
	e.data = object{{"params", listOf(names)}}
	return e
}

// paramFault is the fault of one parameter. Without a code it is the
// nameless verdict of a validate callback.
type paramFault struct {
	name, code, message string
	data                any
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
			details = details.with(f.name, object{{"code", f.code}, {"message", f.message}, {"data", f.data}})
		}
	}
	e := l.fail(400, "rest_invalid_param", msgInvalid, strings.Join(names, ", "))
	e.data = object{{"params", params}, {"details", phpArray(details)}}
	return e
}

// phpArray is an object unless it is empty: PHP writes an empty array as [].
func phpArray(o object) any {
	if len(o) == 0 {
		return list{}
	}
	return o
}

func (c *call) forbidden() error {
	status := 403
	if c.user == nil {
		status = 401
	}
	return c.root.lang.fail(status, "rest_forbidden", msgForbidden)
}

// tecFault is an objection with a code of its own; without one it is errInvalid.
type tecFault struct {
	code, argument, message, details string
}

func (f *tecFault) Error() string { return f.message }

func newTECFault(code, argument, message, details string) *tecFault {
	braces := strings.NewReplacer("%s", "`{"+argument+"}`")
	return &tecFault{"tec_rest_invalid_" + code + "_argument", argument, braces.Replace(message), braces.Replace(details)}
}
