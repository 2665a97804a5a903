package upstream

import (
	"context"
	"errors"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/tracing"
)

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
