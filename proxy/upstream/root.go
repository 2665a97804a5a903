package upstream

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/tracing"
)

// root is the state of one REST root of a backend.
type root struct {
	name    string // as [RootName]
	url     string
	host    *host
	breaker *breaker

	paddingLog rate.Sometimes

	noRoutes      atomic.Int64 // consecutive responses with noRoute
	missingLog    rate.Sometimes
	missingLogged atomic.Bool // since the namespace was last there

	checked bool // health checks are running; guarded by recoveries.mu

	calls, failures, retries, refused, shed atomic.Uint64
}

func newRoot(name, url string, host *host, o Options) *root {
	r := &root{name: name, url: url, host: host, breaker: newBreaker(o.Breaker, func(from, to BreakerState) {
		log := o.Log.Info
		if to == Open {
			log = o.Log.Warn
		}
		log("breaker", zap.String("root", name), zap.String("from", string(from)), zap.String("to", string(to)))
		if o.Observer.Changed != nil {
			o.Observer.Changed(name, from, to)
		}
	})}
	r.paddingLog.Interval, r.missingLog.Interval = paddingLogEvery, missingLogEvery
	return r
}

// OpenFor returns how long the breaker of a root stays open; 0 if it is not open.
func (u *Caller) OpenFor(root string) time.Duration {
	_, wait := u.roots[root].breaker.state()
	return wait
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
	u.watchNamespace(to, got)
	outcome = u.outcome(to, out, got, err)
	if to.breaker.unavailable() > 0 {
		u.awaitRecovery(to)
	}
	return got, err
}

var errFailed = errors.New("the upstream failed")

// outcome returns what the breaker of the root counts: nil for a success, errNoOutcome if the
// call shows nothing about the root.
func (u *Caller) outcome(to *root, out *Request, got Response, err error) error {
	if wait := u.askedToWait(out, got); wait > 0 {
		if got.Status == http.StatusServiceUnavailable {
			to.breaker.unavailableFor(wait)
		} else {
			to.breaker.pauseFor(wait)
		}
		return errFailed
	}
	switch KindOf(err) {
	case Canceled, NotRecorded:
		return errNoOutcome
	case Connect, Timeout, Broken:
		return err
	}
	if got.Status >= http.StatusInternalServerError && mapping.NothingDone(got.Body) == 0 {
		return errFailed
	}
	return nil
}

// askedToWait returns for how long a Retry-After is honoured. A 429 for a client with credentials
// or a password concerns that client, and must not stop the calls of others.
func (u *Caller) askedToWait(out *Request, got Response) time.Duration {
	if got.Status != http.StatusServiceUnavailable && (got.Status != http.StatusTooManyRequests || !out.Anonymous) {
		return 0
	}
	return min(RetryAfter(got.Header), u.options.MaxRetryAfter)
}

// Observer has functions that are called for each attempt and each change of a breaker. They
// may be nil, are called during calls and concurrently, and must not block. Changed must not
// call [Caller.Stats] either.
type Observer struct {
	Called  func(Attempt)                            // an attempt ended, or was not made
	Changed func(root string, from, to BreakerState) // a breaker changed its state
}

// Attempt is one attempt of a call to a backend.
type Attempt struct {
	Root    string // see [RootName]
	Method  string
	Attempt int           // from 1
	Status  int           // 0 without a response
	Failure FailureKind   // "" with a response
	Took    time.Duration // with the time in the queue
}

func (u *Caller) observe(to *root, out *Request, n int, took time.Duration, got Response, err error) {
	kind := KindOf(err)
	switch kind {
	case NotOpened:
		to.refused.Add(1)
	case NotQueued:
		to.shed.Add(1)
	default:
		to.calls.Add(1)
		if n > 1 {
			to.retries.Add(1)
		}
		if kind != Canceled && kind != Answered || got.Status >= http.StatusInternalServerError {
			to.failures.Add(1)
		}
	}
	if called := u.options.Observer.Called; called != nil {
		called(Attempt{Root: to.name, Method: out.Method, Attempt: n, Status: got.Status, Failure: kind, Took: took})
	}
}

// RootStats are the statistics of a REST root. Counts are since the start.
type RootStats struct {
	Root    string        `json:"root"` // see [RootName]; of the first language if several share the root
	State   BreakerState  `json:"state"`
	OpenFor time.Duration `json:"open_for_ns"` // the minimum; 0 unless open

	NamespaceMissing bool `json:"namespace_missing"` // the last calls found no route: the plugin is not active

	Calls    uint64 `json:"calls"`    // attempts that were made
	Failures uint64 `json:"failures"` // of Calls, without a response or with status 5xx
	Retries  uint64 `json:"retries"`  // of Calls
	Refused  uint64 `json:"refused"`  // not made: the breaker was open
	Shed     uint64 `json:"shed"`     // not made: no slot in time

	InFlight    int `json:"in_flight"` // now, of all roots on the host
	Queued      int `json:"queued"`    // now, of all roots on the host
	OpenClients int `json:"kept_away"` // now, clients for which alone the breaker is open
}

// Stats returns the state of the roots, in the order in which they were named.
func (u *Caller) Stats() []RootStats {
	var all []RootStats
	for _, r := range u.order {
		state, wait := r.breaker.state()
		inFlight, queued := r.host.bulkhead.load()
		all = append(all, RootStats{
			Root: r.name, State: state, OpenFor: wait, NamespaceMissing: r.namespaceMissing(),
			Calls: r.calls.Load(), Failures: r.failures.Load(), Retries: r.retries.Load(),
			Refused: r.refused.Load(), Shed: r.shed.Load(),
			InFlight: inFlight, Queued: queued, OpenClients: r.breaker.openClients(),
		})
	}
	return all
}
