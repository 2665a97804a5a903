package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

// The ways in which a call gets no response.
var (
	ErrNotSent     = errors.New("nothing was sent to the upstream")
	ErrNoAnswer    = errors.New("the upstream did not respond")
	ErrNotRecorded = errors.New("the recording has no response to this call") // returned by a replay
	errTooBig      = errors.New("the response is larger than upstream.max_body")

	ErrOpen = fmt.Errorf("%w: the circuit breaker is open", ErrNotSent)
	ErrShed = fmt.Errorf("%w: too many calls are in flight", ErrNotSent) // other clients may get a slot
)

// callError returns the part of err that is safe to log.
func callError(wrote bool, err error) error {
	kind := ErrNotSent
	if wrote {
		kind = ErrNoAnswer
	}
	return fmt.Errorf("%w: %w", kind, safeCause(err))
}

var (
	errProtocol = errors.New("the response is not valid HTTP, or its header is larger than 64 KiB")
	errLost     = errors.New("the connection has died: its pings got no response")
)

// safeCause removes the URL that net/http adds to its errors, and errors that quote what was
// received, which may repeat a secret.
func safeCause(err error) error {
	for _, cause := range []error{
		ErrNotRecorded, context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, http.ErrSchemeMismatch,
	} {
		if errors.Is(err, cause) {
			return cause
		}
	}
	if handshake := handshakeCause(err); handshake != nil {
		return handshake
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op
	}
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return certificate
	}
	if timedOut(err) { // of the header, or of TLS
		return context.DeadlineExceeded
	}
	if strings.Contains(err.Error(), "http2: client connection lost") { // it has no other property
		return errLost
	}
	return errProtocol
}

func timedOut(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// FailureKind is why a call got no response. There are few kinds, so that they can label a
// metric.
type FailureKind string

// The kinds.
const (
	Answered  FailureKind = ""          // whatever the status
	NotOpened FailureKind = "open"      // the breaker is open: nothing was sent
	NotQueued FailureKind = "shed"      // no slot in time: nothing was sent
	Connect   FailureKind = "connect"   // no connection: nothing was sent
	Timeout   FailureKind = "timeout"   // sent, no response in time
	Broken    FailureKind = "broken"    // sent, the response is incomplete or not HTTP
	TooBig    FailureKind = "too_big"   // the response is larger than MaxBody
	Canceled  FailureKind = "cancelled" // the client disconnected

	NotRecorded FailureKind = "not_recorded" // a replay has no response: nothing was sent
)

// KindOf returns the kind of an error of [Caller.Do].
func KindOf(err error) FailureKind {
	switch {
	case err == nil:
		return Answered
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, ErrOpen):
		return NotOpened
	case errors.Is(err, ErrShed):
		return NotQueued
	case errors.Is(err, ErrNotRecorded):
		return NotRecorded
	case errors.Is(err, ErrNotSent):
		return Connect
	case errors.Is(err, errTooBig):
		return TooBig
	case timedOut(err):
		return Timeout
	}
	return Broken
}

// retryable reports whether the same call may soon succeed. A call that timed out has already
// cost the client the wait and the site the work.
func retryable(response Response, err error) bool {
	kind := KindOf(err)
	return kind == Broken || kind == Connect && !timedOut(err) ||
		response.Status >= http.StatusBadGateway && response.Status <= http.StatusGatewayTimeout
}

// outcomeOf returns what the breaker of the root counts: nil for a success, errNoOutcome if the
// call shows nothing about the root. wait is the time of a Retry-After.
func outcomeOf(wait time.Duration, response Response, err error) error {
	kind := KindOf(err)
	switch {
	case wait > 0, response.Status >= http.StatusInternalServerError && mapping.NothingDone(response.Body) == 0:
		return fmt.Errorf("status %d", response.Status)
	case kind == Canceled, kind == NotRecorded:
		return errNoOutcome
	case errors.Is(err, errLost): // one dead connection fails all calls that wait for it; their repetitions count
		return errNoOutcome
	case kind == Connect, kind == Timeout, kind == Broken:
		return err
	}
	return nil
}

// causeOf describes a failure in a few words, without addresses.
func causeOf(err error) string {
	if refused, ok := errors.AsType[syscall.Errno](err); ok {
		return refused.Error()
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "its host name cannot be resolved"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "its certificate is not valid"
	}
	switch {
	case timedOut(err):
		return "no response in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it closed the connection"
	case errors.Is(err, http.ErrSchemeMismatch):
		return "it does not speak TLS"
	}
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), ErrNoAnswer.Error()+": "), ErrNotSent.Error()+": ")
}
