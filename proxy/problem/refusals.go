package problem

import (
	"net/http"
	"strconv"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

// refused makes an error that the facade itself decides on, without a call.
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
	e := refused(http.StatusMethodNotAllowed, "rest_no_route")
	e.Header = http.Header{"Allow": {allow}}
	return e
}

// Unauthorized is the error for a request that needs credentials.
func Unauthorized() *Error { return refused(http.StatusUnauthorized, "rest_forbidden") }

// TesterRefused is the error for a wrong token of a tester, who has to wait if wait is not 0. No
// cache may store it.
func TesterRefused(wait time.Duration) *Error {
	e := RateLimited(wait)
	if wait == 0 {
		e = refused(http.StatusForbidden, "calendar_tester_refused")
		e.Header = http.Header{}
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

// Overloaded is the error for a request for which there is no room now.
func Overloaded() *Error {
	return retried(http.StatusServiceUnavailable, "calendar_overloaded", time.Second)
}

func retried(status int, code string, after time.Duration) *Error {
	e := refused(status, code)
	e.Header = RetryAfter(after)
	return e
}

// TooLong is the error for a request that exceeds a limit.
func TooLong(status int, code string, limit int64) *Error {
	e := refused(status, code)
	e.Args = map[string]string{"Max": strconv.FormatInt(limit, 10)}
	return e
}

// InvalidBody is the error for a request body that cannot be read.
func InvalidBody(cause error) *Error {
	e := refused(http.StatusBadRequest, "rest_invalid_body")
	e.Err = cause
	return e
}

// ContentRange is the error for a write of a part of an item.
func ContentRange() *Error { return refused(http.StatusBadRequest, "calendar_content_range") }

// UnsupportedMediaType is the error for a body in a type, coding or charset that is not read.
func UnsupportedMediaType(code string, cause error) *Error {
	e := refused(http.StatusUnsupportedMediaType, code)
	e.Err = cause
	return e
}

// LegacyArgument is the error for an argument of the legacy's interface that the facade cannot pass.
func LegacyArgument(name string) *Error {
	e := refused(http.StatusBadRequest, "calendar_legacy_argument")
	e.Args = map[string]string{"Param": name}
	return e
}

// LegacyOff is the error for a request in the legacy's names, which are switched off. successor is
// the neutral URL. No cache may store it (a 410 is cacheable by default): the next request may be
// served.
func LegacyOff(successor string) *Error {
	e := refused(http.StatusGone, "calendar_legacy_off")
	e.Args = map[string]string{"URL": successor}
	e.Header = http.Header{"Cache-Control": {noStore}}
	e.Data = []mapping.Member{{Name: "successor", Value: successor}}
	return e
}

// PreconditionFailed is the error for a write whose conditions do not hold. tag is the current validator.
func PreconditionFailed(tag string) *Error {
	e := refused(http.StatusPreconditionFailed, "calendar_precondition_failed")
	e.Header = http.Header{"Etag": {tag}}
	return e
}

// UpdateDrift is the error for an update that had another effect than requested, on these fields.
func UpdateDrift(fields string) *Error {
	e := refused(http.StatusConflict, "calendar_update_drift")
	e.Args = map[string]string{"Params": fields}
	return e
}
