package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/tracing"
)

// Limits of the pause before a retry, which doubles with each retry.
const (
	firstBackoff = 50 * time.Millisecond
	lastBackoff  = time.Second
)

// backoff returns the pause before attempt n, from 2 on. Half of it is random, so that calls
// that failed together are not repeated together.
func backoff(n int) time.Duration {
	d := min(firstBackoff<<min(n-2, 10), lastBackoff)
	return d/2 + rand.N(d/2)
}

// retryable reports whether the same call may soon succeed. A call that timed out has already
// cost the client the wait and the site the work.
func retryable(got Response, err error) bool {
	if err != nil {
		kind := KindOf(err)
		return kind == Connect && !timedOut(err) || kind == Broken
	}
	switch got.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Do calls a REST root within the limits of all calls to it. It repeats a call if that is safe,
// may help and is in the budget. Errors are the errors of send, [ErrOpen] or [ErrShed]. attempts is
// the number of attempts that passed breaker and bulkhead.
func (u *Caller) Do(ctx context.Context, root string, out Request) (got Response, attempts int, err error) {
	to := u.roots[root]
	if to == nil {
		panic("BUG: no such root")
	}
	ctx, cancel := context.WithTimeout(ctx, u.options.QueueTimeout+u.options.Timeout)
	defer cancel()
	to.host.budget.earn()
	got, err = u.attempt(ctx, to, &out, 1)
	for attempts = 1; u.again(ctx, to, &out, attempts, got, err); attempts++ {
		next, failure := u.attempt(ctx, to, &out, attempts+1)
		if errors.Is(failure, ErrOpen) || errors.Is(failure, ErrShed) {
			break // the earlier failure is more informative
		}
		got, err = next, failure
	}
	if errors.Is(err, ErrOpen) || errors.Is(err, ErrShed) {
		attempts = 0
	}
	return got, attempts, err
}

// again reports, after the pause, whether a call is to be repeated after a number of attempts.
func (u *Caller) again(ctx context.Context, to *root, out *Request, attempts int, got Response, err error) bool {
	return attempts <= u.options.Retries && out.safe() && retryable(got, err) && to.breaker.refuses(ClientOf(ctx)) == nil &&
		to.host.budget.spend() && sleep(ctx, backoff(attempts+1))
}

// attempt makes one attempt, number n, if the root and its host may be called.
func (u *Caller) attempt(ctx context.Context, to *root, out *Request, n int) (got Response, err error) {
	began := time.Now()
	ctx, end := tracing.Start(ctx, u.options.Tracer, "upstream", trace.SpanKindClient)
	defer func() {
		if u.options.Tracer != nil {
			end(err, attribute.String("calfacade.root", to.name), attribute.Int("calfacade.attempt", n),
				attribute.String("http.request.method", out.Method), attribute.Int("http.response.status_code", got.Status),
				attribute.String("error.type", string(KindOf(err))))
		}
		u.observe(to, out, n, time.Since(began), got, err)
	}()
	client := ClientOf(ctx)
	if err := to.breaker.refuses(client); err != nil {
		return Response{}, err // without waiting for a slot
	}
	slot, err := to.host.bulkhead.enter(ctx, out.Class)
	if err != nil {
		return Response{}, err
	}
	defer to.host.bulkhead.leave(slot)
	report, err := to.breaker.allow(client)
	if err != nil {
		return Response{}, err
	}
	outcome := errNoOutcome // of a panic
	defer func() { report(outcome) }()
	got, err = u.send(ctx, to, out)
	u.removePadding(to, &got)
	u.watchNamespace(to, out, got)
	wait := u.retryAfter(out, got)
	outcome = outcomeOf(wait, got, err)
	to.note(outcome)
	to.pause(wait, got.Status)
	if to.breaker.unavailable() > 0 {
		u.awaitRecovery(to)
	}
	return got, err
}

// pause stops the calls to the root for the time of a Retry-After.
func (r *root) pause(wait time.Duration, status int) {
	switch {
	case wait == 0:
	case status == http.StatusServiceUnavailable:
		r.breaker.unavailableFor(wait)
	default:
		r.breaker.pauseFor(wait)
	}
}

// outcomeOf returns what the breaker of the root counts: nil for a success, errNoOutcome if the
// call shows nothing about the root. wait is the time of a Retry-After.
func outcomeOf(wait time.Duration, got Response, err error) error {
	if wait > 0 {
		return statusError(got.Status)
	}
	if errors.Is(err, errLost) {
		return errNoOutcome // one dead connection fails all calls that wait for it; their repetitions count
	}
	switch KindOf(err) {
	case Canceled, NotRecorded:
		return errNoOutcome
	case Connect, Timeout, Broken:
		return err
	}
	if got.Status >= http.StatusInternalServerError && mapping.NothingDone(got.Body) == 0 {
		return statusError(got.Status)
	}
	return nil
}

// retryAfter returns for how long a Retry-After is honoured. A 429 for a client with credentials
// or a password concerns that client, and must not stop the calls of others.
func (u *Caller) retryAfter(out *Request, got Response) time.Duration {
	if got.Status != http.StatusServiceUnavailable && (got.Status != http.StatusTooManyRequests || !out.Anonymous) {
		return 0
	}
	return min(RetryAfter(got.Header), u.options.MaxRetryAfter)
}

// budget limits retries to a share of the calls: without it, retries multiply the load of a
// site that fails. It starts full, so that the first calls can be retried.
type budget struct {
	percent int

	mu       sync.Mutex
	percents int // saved; a retry costs 100
}

// maxSaved is the capacity of a budget, in percents.
const maxSaved = 10 * 100

func newBudget(percent int) *budget { return &budget{percent: percent, percents: maxSaved} }

// earn adds what a call earns.
func (b *budget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.percents = min(b.percents+b.percent, maxSaved)
}

// spend takes a retry from the budget, if it has one.
func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.percents < 100 {
		return false
	}
	b.percents -= 100
	return true
}

// The ways in which a call gets no response.
var (
	ErrNotSent     = errors.New("nothing was sent to the upstream")
	ErrNoAnswer    = errors.New("the upstream did not respond")
	ErrNotRecorded = errors.New("the recording has no response to this call") // returned by a replay
	errTooBig      = errors.New("the response is larger than upstream.max_body")
	errHeader      = errors.New("the header of the response is larger than 64 KiB")

	ErrOpen          = fmt.Errorf("%w: the circuit breaker is open", ErrNotSent)
	errOpenForClient = callerError{fmt.Errorf("%w, for this client", ErrOpen)}
	ErrShed          = callerError{fmt.Errorf("%w: too many calls are in flight", ErrNotSent)}
)

// callerError concerns only the client that a call is made for.
type callerError struct{ error }

// Is reports that other clients that wait for the same response may request it themselves.
func (callerError) Is(target error) bool { return target == cache.ErrCaller }

// Unwrap returns the error without this property.
func (e callerError) Unwrap() error { return e.error }

// callError returns the part of err that is safe to log.
func callError(sent bool, err error) error {
	kind := ErrNotSent
	if sent {
		kind = ErrNoAnswer
	}
	return fmt.Errorf("%w: %w", kind, safeCause(err))
}

var (
	errProtocol = errors.New("the response is not valid HTTP, or its header is far larger than 64 KiB")
	errLost     = errors.New("the connection has died: its pings got no response")
)

// safeCause removes the URL that net/http adds to its errors, and errors that quote what was
// received, which may repeat a secret.
func safeCause(err error) error {
	for _, known := range []error{
		ErrNotRecorded, errHeader, errTooBig, context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, http.ErrSchemeMismatch,
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
	TooBig    FailureKind = "too_big"   // the response is larger than MaxBody, or its header
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
	case errors.Is(err, errTooBig), errors.Is(err, errHeader):
		return TooBig
	case timedOut(err):
		return Timeout
	}
	return Broken
}
