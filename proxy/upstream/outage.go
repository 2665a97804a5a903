package upstream

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// Outage are consecutive calls to a root that failed. The zero value is none.
type Outage struct {
	Since time.Time `json:"since"` // first failure
	Calls int       `json:"calls"`
	Cause string    `json:"cause"` // last failure, for operators; no secrets
}

// statusError is a response that the breaker counts as a failure.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("status %d", int(e)) }

// note counts the outcome of a call, as the breaker gets it.
func (r *root) note(outcome error) {
	last := r.outage.Load()
	switch {
	case outcome == nil && last != nil:
		r.outage.Store(nil)
	case outcome == nil, errors.Is(outcome, errNoOutcome):
	case last == nil:
		r.outage.Store(&Outage{Since: time.Now(), Calls: 1, Cause: causeOf(outcome)})
	default:
		r.outage.Store(&Outage{Since: last.Since, Calls: last.Calls + 1, Cause: causeOf(outcome)})
	}
}

// failing returns the outage of the root; zero if the last call succeeded.
func (r *root) failing() Outage {
	if o := r.outage.Load(); o != nil {
		return *o
	}
	return Outage{}
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
