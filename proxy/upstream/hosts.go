package upstream

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Hosts are the clients of the hosts that facades call, with the limits of the calls to
// each and the state of its roots. Facades that share them, as the facades of one
// configuration after another do, share the client of a host while its options are the
// same: then an open breaker stays open, and both together keep within the limits. The
// zero value is ready for use. It is safe for concurrent use.
//
// A client keeps the functions in the options of the first facade. The functions of all
// facades must do the same.
type Hosts struct {
	mu   sync.Mutex
	open []*host
}

// host is the state that the roots on one host share: one machine may be overloaded.
type host struct {
	backend, name string
	options       Options // see [Options.ofHost]
	transport     *Transport
	resty         *resty.Client
	queue         *queue

	saved atomic.Int64 // for retries

	// Guarded by Hosts.mu.
	users int
	roots []*rootState
}

func newHost(backend, name string, o Options) *host {
	h := &host{
		backend: backend, name: name, options: o.ofHost(),
		transport: NewTransport(o.ConnectTimeout, o.MaxConcurrent, o.Access.tls()),
		queue:     newQueue(o.MaxConcurrent, o.MaxQueue, o.QueueTimeout),
	}
	h.saved.Store(maxSaved)
	h.transport.access = o.Access
	h.transport.base.ResponseHeaderTimeout = o.HeaderTimeout
	var transport http.RoundTripper = h.transport
	if o.Wrap != nil {
		transport = o.Wrap(transport)
	}
	h.resty = newResty(transport)
	return h
}

// ofHost returns the options that a host depends on: not those that are read for each
// call, nor those that only observe.
func (o Options) ofHost() Options {
	o.Timeout = 0
	o.MaxBody = 0
	o.Retries = 0
	o.MaxRetryAfter = 0
	o.Wrap, o.Called, o.Tracer, o.Log = nil, nil, nil, nil
	return o
}

// fits reports whether a client for a host would be the same as h.
func (h *host) fits(backend, name string, o Options) bool {
	present := h.options
	fresh := o.ofHost()
	sameCAs := present.Access.CAs.Equal(fresh.Access.CAs) // which reflect cannot compare
	present.Access.CAs, fresh.Access.CAs = nil, nil
	return h.backend == backend && h.name == name && sameCAs && reflect.DeepEqual(present, fresh)
}

// acquire returns the state of a root of a backend. The caller releases its host.
func (s *Hosts) acquire(backend string, r Root, o Options) *rootState {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := r.URL
	if u, err := url.Parse(r.URL); err == nil {
		name = u.Host
	}
	i := slices.IndexFunc(s.open, func(h *host) bool { return h.fits(backend, name, o) })
	if i < 0 {
		i = len(s.open)
		s.open = append(s.open, newHost(backend, name, o))
	}
	h := s.open[i]
	h.users++
	i = slices.IndexFunc(h.roots, func(candidate *rootState) bool { return candidate.Root == r })
	if i >= 0 {
		return h.roots[i]
	}
	state := &rootState{Root: r, host: h, log: o.Log.With(zap.String("root", r.Name))}
	state.breaker = &breaker{limits: o.Breaker, changed: state.logOutage}
	state.paddingLog.Interval = paddingLogEvery
	state.storedLog.Interval = paddingLogEvery
	h.roots = append(h.roots, state)
	return state
}

// release closes idle connections when the last user of a host releases it. Calls in flight continue.
func (s *Hosts) release(h *host) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.users--
	if h.users == 0 {
		s.open = slices.DeleteFunc(s.open, func(o *host) bool { return o == h })
		h.transport.CloseIdleConnections()
	}
}

// Renew makes later calls to all hosts on new connections.
func (s *Hosts) Renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.open {
		h.transport.CloseIdleConnections()
	}
}

// The budget of retries of a host. Without it, retries multiply the load of a site that fails.
const (
	retryCost   = 100            // of a retry
	retryEarned = retryCost / 5  // by each call
	maxSaved    = 10 * retryCost // the first calls can be repeated ten times
)

// earnRetry saves the share of one call.
func (h *host) earnRetry() {
	if h.saved.Load() < maxSaved {
		h.saved.Add(retryEarned)
	}
}

// spendRetry pays a retry, if enough is saved.
func (h *host) spendRetry() bool {
	if h.saved.Add(-retryCost) >= 0 {
		return true
	}
	h.saved.Add(retryCost)
	return false
}

// Root is a REST root of a backend.
type Root struct {
	Name string // in metrics and logs, see [RootName]
	URL  string // "" has no root
}

// rootState is the state of one REST root of a backend.
type rootState struct {
	Root
	host    *host
	log     *zap.Logger
	breaker *breaker

	calls    atomic.Uint64 // attempts that were made
	failures atomic.Uint64 // of calls

	paddingLog rate.Sometimes
	storedLog  rate.Sometimes
	stored     atomic.Pointer[sighting] // the last old response of a cache at the site; nil without one
	noRoutes   atomic.Int64             // consecutive responses with noRoute

	logged  Outage        // that the log has a record of; the breaker's lock protects it
	refused atomic.Uint64 // writes that were not sent, since the last response with 2xx
}

// paddingLogEvery is how often the log has a record of padding.
const paddingLogEvery = time.Hour

// logOutage logs that the breaker opened, or was closed again. A probe that fails is part of the outage.
func (r *rootState) logOutage(open bool) {
	if open {
		r.logged = r.breaker.outage
		r.log.Error("site is down", zap.String("reason", r.logged.Cause))
		return
	}
	r.log.Info("site is back", zap.String("reason", r.logged.Cause),
		zap.Duration("duration", time.Since(r.logged.Since).Round(time.Second)), zap.Uint64("refused_writes", r.refused.Swap(0)))
}

// removePadding removes the text around the JSON document of a response. It requires the
// Content-Type of JSON: a page may contain a document that is not the response, and PHP that
// sent a notice before its header could not set the status either.
func (r *rootState) removePadding(response *Response) {
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		return
	}
	document, ok := jsonscan.Document(response.Body)
	if !ok || len(document) == len(response.Body) {
		return
	}
	response.Padding = len(response.Body) - len(document)
	response.Body = document
	r.paddingLog.Do(func() {
		r.log.Warn("removed text around the JSON of a response: PHP notices, or a byte order mark in a file of a plugin or theme",
			zap.Int("bytes", response.Padding), zap.Duration("logged_again_after", paddingLogEvery))
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
func (r *rootState) watchNamespace(out *Request, response Response) {
	switch {
	case response.Status == http.StatusNotFound && mapping.CodeOf(response.Body) == noRoute:
		if !out.Slug && r.noRoutes.Add(1) == missingAfter {
			r.log.Warn("the site has no route for any call: is its calendar plugin active?")
		}
	case response.Status/100 == 3, response.Status == http.StatusUnauthorized, response.Status == http.StatusForbidden,
		response.Status == http.StatusTooManyRequests: // the site redirects and refuses before it looks for a route
	case response.Status > 0 && response.Status < http.StatusInternalServerError && r.noRoutes.Load() > 0:
		if r.noRoutes.Swap(0) >= missingAfter {
			r.log.Info("the site has its routes again")
		}
	}
}

// RootStats are the state of a REST root.
type RootStats struct {
	Root  string // see [RootName]; of the first language if several share the root
	State BreakerState

	Calls            uint64 // attempts that were made since the start
	Failures         uint64 // of Calls, without a response or with status 5xx
	Outage           Outage
	RefusedWrites    uint64 // in the outage: they were not sent
	NamespaceMissing bool   // the last calls found no route: the plugin is not active
	Stored           string // the field of a cache at the site that sent an old response in the last hour; "" without one

	InFlight, Queued int // now, of all roots on the host
}

// Stats returns the state of the roots, in the order in which they were named.
func (u *Caller) Stats() (stats []RootStats) {
	for _, r := range u.roots {
		s := RootStats{
			Root: r.Name, Calls: r.calls.Load(), Failures: r.failures.Load(), NamespaceMissing: r.noRoutes.Load() >= missingAfter,
			RefusedWrites: r.refused.Load(), Stored: r.storedField(),
		}
		s.State, _, s.Outage = r.breaker.state()
		s.InFlight, s.Queued = r.host.queue.load()
		stats = append(stats, s)
	}
	return stats
}

// OpenFor returns how long the breaker of a root stays open; 0 if it is not open.
func (u *Caller) OpenFor(root string) time.Duration {
	_, wait, _ := u.root(root).breaker.state()
	return wait
}
