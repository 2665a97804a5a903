package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/calfacade/calfacade/cache"
)

// The ways in which a call fails to get an answer.
var (
	ErrNotSent     = errors.New("nothing was sent to the upstream")
	ErrNoAnswer    = errors.New("the upstream did not answer")
	ErrNotRecorded = errors.New("the recording holds no answer to this call") // of a replay in place of the network
	errTooBig      = errors.New("the answer is larger than upstream.max_body")

	ErrOpen     = fmt.Errorf("%w: it failed, or asked for a pause", ErrNotSent)
	errKeptAway = callerError{fmt.Errorf("%w, for this client", ErrOpen)}
	ErrShed     = callerError{fmt.Errorf("%w: too many calls are under way", ErrNotSent)}
)

// callerError is about the asker of a call alone.
type callerError struct{ error }

// Is reports that others who wait for the same answer may ask for it themselves.
func (callerError) Is(target error) bool { return target == cache.ErrCaller }

// Unwrap returns what it is besides.
func (e callerError) Unwrap() error { return e.error }

// callError keeps of err what is safe to log.
func callError(sent bool, err error) error {
	kind := ErrNotSent
	if sent {
		kind = ErrNoAnswer
	}
	return fmt.Errorf("%w: %w", kind, safeCause(err))
}

var errProtocol = errors.New("what answers does not speak HTTP as it should")

// safeCause drops the URL that net/http puts into its errors, and the errors
// that quote what was received, which may echo a secret.
func safeCause(err error) error {
	for _, known := range []error{
		ErrNotRecorded, context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, http.ErrSchemeMismatch,
	} {
		if errors.Is(err, known) {
			return known
		}
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
	return errProtocol
}

func timedOut(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// FailureKind says why a call to the legacy got no answer. There are few, so that
// a metric may be labelled with them.
type FailureKind string

// The kinds.
const (
	Answered  FailureKind = ""          // whatever the status
	NotOpened FailureKind = "open"      // the breaker is: nothing was sent
	NotQueued FailureKind = "shed"      // no place in time: nothing was sent
	Connect   FailureKind = "connect"   // no connection: nothing was sent
	Timeout   FailureKind = "timeout"   // sent, and not answered in time
	Broken    FailureKind = "broken"    // sent, and the answer broke off or is no HTTP
	TooBig    FailureKind = "too_big"   // the answer is larger than MaxBody
	Canceled  FailureKind = "cancelled" // the client hung up

	NotRecorded FailureKind = "not_recorded" // a replay has no answer: nothing was sent
)

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
