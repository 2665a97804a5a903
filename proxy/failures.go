package proxy

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// callFailed returns the error for a call that got no response.
func callFailed(call *mapping.Call, err error) *problem.Error {
	kind := upstream.KindOf(err)
	switch {
	case kind == upstream.Canceled:
		return problem.ClientGone(err)
	case kind == upstream.NotRecorded:
		return &problem.Error{Status: http.StatusBadGateway, Code: "calendar_not_recorded", Err: err}
	case kind == upstream.NotOpened, kind == upstream.NotQueued, kind == upstream.Connect:
		return unavailable(err)
	case call.Endpoint.Writes():
		return outcomeUnknown(err)
	case kind == upstream.Timeout:
		return siteFailure("calendar_upstream_timeout", err)
	case kind == upstream.TooBig:
		return invalid(err)
	}
	return siteFailure("calendar_upstream_failed", err)
}

// statusError returns the error for a response with a status that the API does not have, or nil.
// anonymous reports that the request had no credentials.
func statusError(call *mapping.Call, request mapping.Request, resp upstream.Response, anonymous bool) *problem.Error {
	status := fmt.Errorf("upstream status %d", resp.Status)
	codings := resp.Undecoded()
	if codings != "" {
		status = fmt.Errorf("%w with the content coding %.40q, which is not decoded", status, codings)
	}
	switch {
	case resp.Status >= 300 && resp.Status < 400:
		return invalid(fmt.Errorf("upstream redirects (%d) to %s: is the upstream of this language spelled as the site spells "+
			"itself, https and www?", resp.Status, upstream.BareURL(resp.Header.Get("Location"))))
	case resp.Status == http.StatusTooManyRequests && anonymous:
		return unavailable(status) // the facade calls too often, and no single client
	case resp.Status >= 500 && call.Endpoint.Writes() && mapping.NothingDone(resp.Body) != 0:
		return &problem.Error{Status: mapping.NothingDone(resp.Body), Code: mapping.CodeOf(resp.Body), Err: status}
	case resp.Status >= 500 && call.Endpoint.Writes():
		return outcomeUnknown(status)
	case resp.Status == http.StatusServiceUnavailable:
		return unavailable(status)
	case resp.Status >= 500:
		return siteFailure("calendar_upstream_failed", status)
	case codings == "" && call.Endpoint.Answers(request, resp.Status):
		return nil
	case resp.Status < http.StatusMultipleChoices && call.Endpoint.Writes():
		return outcomeUnknown(status)
	}
	return invalid(status)
}

// unusable returns the error for a response to a call that cannot be converted, for a call with reads that
// failed or did not find a needed item, and for a call that the backend does not support. isWritten reports that
// the call is a write which was sent.
func unusable(call *mapping.Call, isWritten bool, cause error) error {
	if _, ok := errors.AsType[*problem.Error](cause); ok {
		return cause
	}
	if faults, ok := errors.AsType[mapping.Faults](cause); ok {
		return faults
	}
	switch {
	case errors.Is(cause, mapping.ErrOtherItem):
		return problem.NotFound()
	case errors.Is(cause, mapping.ErrNotSupported):
		lacks := mapping.Lacking{call.Endpoint.Name()}
		_ = errors.As(cause, &lacks)
		return &problem.Error{Status: http.StatusNotImplemented, Code: "calendar_not_supported",
			Args: map[string]string{"Params": strings.Join(lacks, ", ")}, Err: cause}
	case isWritten:
		return outcomeUnknown(cause)
	}
	return invalid(cause)
}

// isBackendFault reports whether err is a backend's fault. A closed connection of a client is no fault.
func isBackendFault(err error) bool {
	e, ok := errors.AsType[*problem.Error](err)
	return ok && e.Status >= 500
}

// credentialsRefused returns the error for credentials of a client that would replace those
// of the operator. Nothing is sent.
func credentialsRefused() *problem.Error {
	return &problem.Error{
		Status: http.StatusForbidden, Code: "calendar_credentials_refused",
		Err: fmt.Errorf("%w: Authorization has the operator's credentials; see upstream.authorization", upstream.ErrNotSent),
	}
}

// unavailable returns the error for a call that changed nothing, and may be repeated soon, unless [setRetryAfter]
// knows better.
func unavailable(cause error) *problem.Error {
	e := siteFailure("calendar_upstream_unavailable", cause)
	e.Header = problem.RetryAfter(problem.RetrySoon)
	return e
}

func invalid(cause error) *problem.Error { return siteFailure("calendar_upstream_invalid", cause) }

// outcomeUnknown returns the error for a write that may have been made.
func outcomeUnknown(cause error) *problem.Error {
	return &problem.Error{Status: http.StatusGatewayTimeout, Code: codeOutcomeUnknown, Err: cause}
}

// Codes of errors after which a write may have been made.
const (
	codeInternal       = "calendar_internal"
	codeOutcomeUnknown = "calendar_write_outcome_unknown"
)

// siteFailures has the statuses of the failures of the site, by their codes.
var siteFailures = map[string]int{
	"calendar_upstream_failed":      http.StatusBadGateway,
	"calendar_upstream_invalid":     http.StatusBadGateway,
	"calendar_upstream_timeout":     http.StatusGatewayTimeout,
	"calendar_upstream_unavailable": http.StatusServiceUnavailable,
}

func siteFailure(code string, cause error) *problem.Error {
	return &problem.Error{Status: siteFailures[code], Code: code, Err: cause}
}

// setRetryAfter sets Retry-After to when a call may succeed, if that is known: the value that the site sends,
// or wait, the time for which the circuit breaker stays open. A write that may have been made must never be
// repeated.
func setRetryAfter(e *problem.Error, wait time.Duration, resp upstream.Response) {
	if e.Status < 500 || e.Code == codeOutcomeUnknown {
		return
	}
	if resp.Status == http.StatusServiceUnavailable || resp.Status == http.StatusTooManyRequests {
		wait = max(wait, upstream.RetryAfter(resp.Header))
	}
	if wait > 0 {
		e.Header = problem.RetryAfter(wait)
	}
}

// errPanic is the cause of an error that was a panic.
var errPanic = errors.New("panic")

// recoverPanic, deferred, turns a panic into an error and logs the stack. Outside of requests a panic would
// otherwise end the process.
func recoverPanic(log *zap.Logger, id string, err *error) {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler {
		panic(cause)
	}
	*err = &problem.Error{Status: http.StatusInternalServerError, Code: codeInternal, Err: errPanic}
	log.Error("panic", zap.String("request_id", id), zap.Any("cause", cause), zap.ByteString("stack", debug.Stack()))
}
