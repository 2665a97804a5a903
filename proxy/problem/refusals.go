package problem

import (
	"net/http"
	"strconv"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

// refused makes an error by the facade, without a call.
func refused(status int, code string) *Error { return &Error{Status: status, Code: code} }

// NotFound is the error for an item that does not exist.
func NotFound() *Error { return refused(http.StatusNotFound, "calendar_not_found") }

// NoRoute is the error for a path that is not in the table.
func NoRoute() *Error { return refused(http.StatusNotFound, "rest_no_route") }

// InvalidNamespace is the error for an index of another namespace.
func InvalidNamespace() *Error { return refused(http.StatusNotFound, "rest_invalid_namespace") }

// MethodNotAllowed is the error for a method that a path does not have, with WordPress's code
// and HTTP's status.
func MethodNotAllowed(allow string) *Error {
	return &Error{Status: http.StatusMethodNotAllowed, Code: "rest_no_route", Header: http.Header{"Allow": {allow}}}
}

// MethodUnknown is the error for a method that HTTP does not define, with the same code.
func MethodUnknown(allow string) *Error {
	e := MethodNotAllowed(allow)
	e.Status = http.StatusNotImplemented
	e.IsRefusal = true
	return e
}

// Unauthorized is the error for a request that needs credentials.
func Unauthorized() *Error { return refused(http.StatusUnauthorized, "rest_forbidden") }

// TesterRefused is the error for a wrong token of a tester, who has to wait if wait is not 0. No
// cache may store it.
func TesterRefused(wait time.Duration) *Error {
	e := RateLimited(wait)
	if wait == 0 {
		e = &Error{Status: http.StatusForbidden, Code: "calendar_tester_refused", Header: http.Header{}}
	}
	e.Header.Set("Cache-Control", noStore)
	return e
}

const noStore = "private, no-store"

// RateLimited is the error for a client that has to wait.
func RateLimited(wait time.Duration) *Error {
	return retried(http.StatusTooManyRequests, "calendar_rate_limited", wait)
}

// ReadOnly is the error for a write in read-only mode.
func ReadOnly(retry time.Duration) *Error {
	return retried(http.StatusServiceUnavailable, "calendar_read_only", retry)
}

// NotCached is the error for a request that permits no call, without a stored response.
func NotCached() *Error {
	return &Error{Status: http.StatusGatewayTimeout, Code: "calendar_not_cached", IsRefusal: true}
}

// RetrySoon is the Retry-After of a failure that passes soon.
const RetrySoon = time.Second

// Overloaded is the error for a request for which there is no room now.
func Overloaded() *Error {
	return retried(http.StatusServiceUnavailable, "calendar_overloaded", RetrySoon)
}

func retried(status int, code string, wait time.Duration) *Error {
	return &Error{Status: status, Code: code, Header: RetryAfter(wait)}
}

// TooLong is the error for a request that exceeds a limit.
func TooLong(status int, code string, limit int64) *Error {
	return &Error{Status: status, Code: code, Args: map[string]string{"Max": strconv.FormatInt(limit, 10)}}
}

// InvalidBody is the error for a request body that cannot be read.
func InvalidBody(cause error) *Error {
	return &Error{Status: http.StatusBadRequest, Code: "rest_invalid_body", Err: cause}
}

// ContentRange is the error for a write of a part of an item.
func ContentRange() *Error { return refused(http.StatusBadRequest, "calendar_content_range") }

// UnsupportedCoding is the error for a body in a content coding. The facade decodes no coding.
func UnsupportedCoding() *Error {
	return &Error{Status: http.StatusUnsupportedMediaType, Code: CodeCoding, Header: http.Header{"Accept-Encoding": {"identity"}}}
}

// CodeCoding is the code of [UnsupportedCoding].
const CodeCoding = "calendar_unsupported_coding"

// UnsupportedMediaType is the error for a body in a type or charset that is not read.
func UnsupportedMediaType(code string, cause error) *Error {
	return &Error{Status: http.StatusUnsupportedMediaType, Code: code, Err: cause}
}

// LegacyArgument is the error for an argument of the legacy's interface that the facade cannot pass.
func LegacyArgument(name string) *Error {
	return &Error{Status: http.StatusBadRequest, Code: "calendar_legacy_argument", Args: map[string]string{"Param": name}}
}

// LegacyOff is the error for a request in the legacy's names, which are switched off. successor is
// the neutral URL. No cache may store the error (a 410 is cacheable by default): the next request may be
// served.
func LegacyOff(successor string) *Error {
	return &Error{Status: http.StatusGone, Code: "calendar_legacy_off", Args: map[string]string{"URL": successor},
		Header: http.Header{"Cache-Control": {noStore}}, Data: []mapping.Member{{Name: "successor", Value: successor}}}
}

// PreconditionFailed is the error for a write after a false precondition. tag is the current validator.
func PreconditionFailed(tag string) *Error {
	return &Error{Status: http.StatusPreconditionFailed, Code: "calendar_precondition_failed", Header: http.Header{"Etag": {tag}}}
}

// UpdateDrift is the error for an update that had another effect than requested, on these fields.
func UpdateDrift(fields string) *Error {
	return &Error{Status: http.StatusConflict, Code: "calendar_update_drift", Args: map[string]string{"Params": fields}}
}
