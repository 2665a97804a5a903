package sim

import "strings"

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

// fail makes an error with a message that is translated, if that can be.
func (l *language) fail(status int, code, english string, args ...any) *apiError {
	return refusal(status, code, l.text(english, args...))
}

func (l *language) noRoute() *apiError {
	return refusal(404, "rest_no_route", l.shared("error.rest_no_route", nil))
}

// refusal is an error with a message that is never translated.
func refusal(status int, code, message string) *apiError {
	return &apiError{status: status, code: code, message: message, data: object{{"status", status}}}
}

// bareError is an error of WordPress that no code has prepared for a client.
func bareError(code, message string, reason any) *apiError {
	return &apiError{status: 500, code: code, message: message, data: reason}
}

// fatal is the response to a client that wants JSON after a fatal error of PHP: the response is written
// before the last headers.
func (c *call) fatal() *apiError {
	c.allow, c.ended = nil, true
	const help = "https://wordpress.org/documentation/article/faq-troubleshooting/"
	e := refusal(500, "internal_server_error", `<p>There has been a critical error on this website.</p>`+
		`<p><a href="`+help+`">Learn more about troubleshooting WordPress.</a></p>`)
	e.extra = object{{"additional_errors", list{}}}
	return e.with("error", object{{"type", 1}, {"message", "Uncaught TypeError"}, {"file", "Terms.php"}, {"line", 21}})
}

// missingParams lists the names: params is an array here, unlike below.
func (l *language) missingParams(names []string) *apiError {
	const code = "rest_missing_callback_param"
	message := l.shared("error."+code, map[string]string{"Params": strings.Join(names, ", ")})
	return refusal(400, code, message).with("params", listOf(names))
}

// paramFault is the fault of one parameter. A fault without a code is the nameless verdict of a validate
// callback.
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
	const code = "rest_invalid_param"
	message := l.shared("error."+code, map[string]string{"Params": strings.Join(names, ", ")})
	refused := refusal(400, code, message).with("params", params)
	if details == nil { // PHP writes an empty array as []
		return refused.with("details", list{})
	}
	return refused.with("details", details)
}

func (c *call) forbidden() error {
	status := 403
	if c.user == nil {
		status = 401
	}
	return c.root.lang.fail(status, "rest_forbidden", "Sorry, you are not allowed to do that.")
}
