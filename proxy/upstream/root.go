package upstream

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Root is a REST root of a backend.
type Root struct {
	Name string // in metrics and logs, see [RootName]
	URL  string // "" has no root
}

// root is the state of one REST root of a backend.
type root struct {
	Root
	host    *host
	log     *zap.Logger
	breaker *breaker

	calls    atomic.Uint64          // attempts that were made
	failures atomic.Uint64          // of calls
	outage   atomic.Pointer[Outage] // nil: the last call succeeded
	checked  bool                   // health checks are running; guarded by host.mu

	paddingLog    rate.Sometimes
	noRoutes      atomic.Int64 // consecutive responses with noRoute
	missingLog    rate.Sometimes
	missingLogged atomic.Bool // since the namespace was last there
}

// How often the log has a record of padding, and of a missing namespace, for each root.
const (
	paddingLogEvery = time.Hour
	missingLogEvery = time.Minute
)

func newRoot(r Root, h *host, o Options) *root {
	to := &root{Root: r, host: h, log: o.Log.With(zap.String("root", r.Name))}
	to.breaker = newBreaker(o.Breaker, to.logBreaker)
	to.paddingLog.Interval, to.missingLog.Interval = paddingLogEvery, missingLogEvery
	return to
}

// logBreaker logs a change of the breaker. A probe that fails is part of the outage.
func (r *root) logBreaker(from, to BreakerState) {
	fields := []zap.Field{zap.String("from", string(from)), zap.String("to", string(to))}
	switch {
	case from == Closed:
		r.log.Warn("breaker", append(fields, zap.String("cause", r.failing().Cause))...)
	case to == Closed:
		r.log.Info("breaker", fields...)
	}
}

// Outage are consecutive calls to a root that failed. The zero value is none.
type Outage struct {
	Since time.Time `json:"since"` // first failure
	Calls int       `json:"calls"`
	Cause string    `json:"cause"` // last failure, for operators; no secrets
}

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

// removePadding removes the text around the JSON document of a response. It requires the
// Content-Type of JSON: a page may contain a document that is not the response, and PHP that
// sent a notice before its header could not set the status either.
func (r *root) removePadding(got *Response) {
	if !strings.HasPrefix(got.Header.Get("Content-Type"), "application/json") {
		return
	}
	document, ok := jsonscan.Document(got.Body)
	if !ok || len(document) == len(got.Body) {
		return
	}
	got.Padding, got.Body = len(got.Body)-len(document), document
	r.paddingLog.Do(func() {
		r.log.Warn("removed text around the JSON of a response: PHP notices, or a byte order mark in a file of a plugin or theme",
			zap.Int("bytes", got.Padding), zap.Duration("logged_again_after", paddingLogEvery))
	})
}

// noRoute is the code of WordPress for a path that no plugin has registered.
const noRoute = "rest_no_route"

// missingAfter is the number of consecutive responses with noRoute after which the namespace
// counts as missing. One alone could be a path that this version of the plugin does not have.
const missingAfter = 3

// watchNamespace notices that the site answers, but without its plugin: every call is a 404
// then, which counts as no failure. A call with a slug proves nothing, since clients choose it,
// and WordPress has no route for some (recording odd-by-slug-5). It has one for any id.
func (r *root) watchNamespace(out *Request, got Response) {
	switch {
	case got.Status == http.StatusNotFound && mapping.CodeOf(got.Body) == noRoute:
		if out.Slug {
			return
		}
		if r.noRoutes.Add(1) < missingAfter {
			return
		}
		r.missingLog.Do(func() {
			r.missingLogged.Store(true)
			r.log.Warn("the site has no route for any call: is its calendar plugin active?")
		})
	case showsRoute(got.Status) && r.noRoutes.Load() > 0:
		r.noRoutes.Store(0)
		if r.missingLogged.Swap(false) {
			r.log.Info("the site has its routes again")
		}
	}
}

// showsRoute reports whether a status shows that the site has a route. It refuses credentials and
// clients, and redirects, before it looks for one.
func showsRoute(status int) bool {
	refuses := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests}
	return status > 0 && status < http.StatusInternalServerError && status/100 != 3 && !slices.Contains(refuses, status)
}

// namespaceMissing reports whether the last calls found no route.
func (r *root) namespaceMissing() bool { return r.noRoutes.Load() >= missingAfter }

// healthCheckEvery is the pause between health checks of a root that responded 503 with
// Retry-After. WordPress in maintenance sends ten minutes, and is back after one.
const healthCheckEvery = 2 * time.Second

// awaitRecovery checks the health of an unavailable root until it has recovered or its pause
// is over. It does nothing if checks are running.
func (u *Caller) awaitRecovery(to *root) {
	h := to.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() != nil || to.checked || u.options.HealthCheck == nil {
		return
	}
	to.checked = true
	h.checks.Go(func() {
		for sleep(h.ctx, healthCheckEvery) && to.needsChecks() {
			if u.recovered(to) {
				to.breaker.recovered()
				to.log.Info("root recovered before its Retry-After")
			}
		}
	})
}

// needsChecks reports whether a root is still unavailable, or again. If not, the checks end, and the
// next pause starts others.
func (r *root) needsChecks() bool {
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	r.checked = r.breaker.unavailable()
	return r.checked
}

// recovered reports whether a root responds to the health check. Without a free slot of the
// host it sends none.
func (u *Caller) recovered(to *root) bool {
	ctx := to.host.ctx
	slot, err := to.host.queue.acquire(ctx, Refresh)
	if err != nil {
		return false
	}
	defer to.host.queue.release(slot)
	began := time.Now()
	got, err := u.send(ctx, to, u.options.HealthCheck)
	u.report(to, u.options.HealthCheck, 1, time.Since(began), got, err)
	return err == nil && got.Status != http.StatusTooManyRequests && got.Status < http.StatusInternalServerError
}

// RootStats are the state of a REST root.
type RootStats struct {
	Root    string        `json:"root"` // see [RootName]; of the first language if several share the root
	State   BreakerState  `json:"state"`
	OpenFor time.Duration `json:"open_for_ns"` // the minimum; 0 unless open

	Calls            uint64 `json:"calls"`    // attempts that were made since the start
	Failures         uint64 `json:"failures"` // of Calls, without a response or with status 5xx
	Outage           Outage `json:"outage"`
	NamespaceMissing bool   `json:"namespace_missing"` // the last calls found no route: the plugin is not active

	InFlight int `json:"in_flight"` // now, of all roots on the host
	Queued   int `json:"queued"`    // now, of all roots on the host
}

// Stats returns the state of the roots, in the order in which they were named.
func (u *Caller) Stats() (all []RootStats) {
	for _, r := range u.roots {
		s := RootStats{Root: r.Name, Calls: r.calls.Load(), Failures: r.failures.Load(), Outage: r.failing(), NamespaceMissing: r.namespaceMissing()}
		s.State, s.OpenFor = r.breaker.state()
		s.InFlight, s.Queued = r.host.queue.load()
		all = append(all, s)
	}
	return all
}

// OpenFor returns how long the breaker of a root stays open; 0 if it is not open.
func (u *Caller) OpenFor(root string) time.Duration {
	_, wait := u.root(root).breaker.state()
	return wait
}
