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

// root is one REST root of a backend, and how it fares.
type root struct {
	name    string // as rootName
	url     string
	host    *host
	breaker *breaker

	paddingLog rate.Sometimes
	checked    bool // something asks whether it is back; guarded by absences.mu

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
	r.paddingLog.Interval = paddingLogEvery
	return r
}

// OpenFor is how long no call to a root will be made; 0 if one may be.
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
	who := ClientOf(ctx)
	if err := to.breaker.refuses(who); err != nil {
		return Response{}, err // without waiting for a place
	}
	place, err := to.host.bulkhead.enter(ctx, out.Class)
	if err != nil {
		return Response{}, err
	}
	defer to.host.bulkhead.leave(place)
	outcome, err := to.breaker.allow(who)
	if err != nil {
		return Response{}, err
	}
	verdict := errNoVerdict // of a panic
	defer func() { outcome(verdict) }()
	got, err = u.send(ctx, to, out)
	u.trim(to, &got)
	verdict = u.verdict(to, out, got, err)
	if to.breaker.absence() > 0 {
		u.awaitRecovery(to)
	}
	return got, err
}

var errFailed = errors.New("the upstream failed")

// verdict is what a call says of the root: whether it is fit for others.
func (u *Caller) verdict(to *root, out *Request, got Response, err error) error {
	if wait := u.askedToWait(out, got); wait > 0 {
		if got.Status == http.StatusServiceUnavailable {
			to.breaker.absentFor(wait)
		} else {
			to.breaker.pauseFor(wait)
		}
		return errFailed
	}
	switch KindOf(err) {
	case Canceled, NotRecorded:
		return errNoVerdict
	case Connect, Timeout, Broken:
		return err
	}
	if got.Status >= http.StatusInternalServerError && mapping.NothingDone(got.Body) == 0 {
		return errFailed
	}
	return nil
}

// askedToWait is how long the legacy wants no calls, as far as that is kept to. A 429 for one
// who has credentials or a password is about that one, and must not keep others
// away.
func (u *Caller) askedToWait(out *Request, got Response) time.Duration {
	if got.Status != http.StatusServiceUnavailable && (got.Status != http.StatusTooManyRequests || !out.Anonymous) {
		return 0
	}
	return min(RetryAfter(got.Header), u.options.MaxRetryAfter)
}

// Observer hears of the calls to the legacy. Functions may be nil; they
// are called in the middle of a call, at the same time for several, and must not
// block. Changed must not ask for [Facade.Upstreams] either.
type Observer struct {
	Called  func(Attempt)                            // an attempt ended, or was not made
	Changed func(root string, from, to BreakerState) // a breaker did
}

// Attempt is one attempt of a call to the legacy.
type Attempt struct {
	Root    string // the code of the language that it answers, as "new:es" of a backend other than the legacy
	Method  string
	Attempt int           // from 1
	Status  int           // 0 without an answer
	Failure FailureKind   // "" with an answer
	Took    time.Duration // waiting for a place among it
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

// RootStats is how a REST root of the legacy fares. Counts are since the start.
type RootStats struct {
	Root    string        `json:"root"` // the code of the language that it answers, of the first if several share it
	State   BreakerState  `json:"state"`
	OpenFor time.Duration `json:"open_for_ns"` // at least, of an open one

	Calls    uint64 `json:"calls"`    // attempts that were made
	Failures uint64 `json:"failures"` // of these
	Retries  uint64 `json:"retries"`  // of these
	Refused  uint64 `json:"refused"`  // not made, for the breaker was open
	Shed     uint64 `json:"shed"`     // not made, for want of a place

	InFlight int `json:"in_flight"` // now, of all roots on the host
	Queued   int `json:"queued"`    // likewise
	KeptAway int `json:"kept_away"` // now, clients of this root whose own calls failed
}

// Stats returns the state of the roots, in the order in which they were named.
func (u *Caller) Stats() []RootStats {
	var all []RootStats
	for _, r := range u.order {
		state, wait := r.breaker.state()
		underWay, waiting := r.host.bulkhead.load()
		all = append(all, RootStats{
			Root: r.name, State: state, OpenFor: wait,
			Calls: r.calls.Load(), Failures: r.failures.Load(), Retries: r.retries.Load(),
			Refused: r.refused.Load(), Shed: r.shed.Load(),
			InFlight: underWay, Queued: waiting, KeptAway: r.breaker.keptAway(),
		})
	}
	return all
}
