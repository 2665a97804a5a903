package upstream

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-resty/resty/v2"
	"go.uber.org/zap"
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
	roots []*root
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
func (s *Hosts) acquire(backend string, r Root, o Options) *root {
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
	if i := slices.IndexFunc(h.roots, func(candidate *root) bool { return candidate.Root == r }); i >= 0 {
		return h.roots[i]
	}
	state := &root{Root: r, host: h, log: o.Log.With(zap.String("root", r.Name))}
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
	if h.users--; h.users == 0 {
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
