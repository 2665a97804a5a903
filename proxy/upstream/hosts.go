package upstream

import (
	"context"
	"reflect"
	"slices"
	"sync"
)

// Hosts are the clients of the hosts that facades call, with the limits of the calls to
// each and the state of its roots. Facades that share them, as those of one
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

// host is what the roots on one host share: one machine may be overloaded.
type host struct {
	backend, name string
	options       Options // of the client
	http          httpClient
	bulkhead      *bulkhead
	budget        *budget
	recoveries    *recoveries

	// Guarded by Hosts.mu.
	users int
	roots []*root
}

func newHost(backend, name string, o Options) *host {
	return &host{
		backend: backend, name: name, options: o.ofClient(), http: newHTTPClient(o),
		bulkhead:   newBulkhead(queueLimits{Slots: o.MaxConcurrent, Queue: o.MaxQueue, Share: o.ClientShare}, o.QueueTimeout),
		budget:     newBudget(o.RetryPercent),
		recoveries: newRecoveries(),
	}
}

// ofClient returns the options that a client depends on: not those that are read for each
// call, nor those that only observe.
func (o Options) ofClient() Options {
	o.Timeout, o.Retries, o.MaxRetryAfter = 0, 0, 0
	o.Wrap, o.HealthCheck, o.Observer, o.Tracer, o.Log = nil, nil, Observer{}, nil, nil
	return o
}

// fits reports whether a client for a host would be the same as h.
func (h *host) fits(backend, name string, o Options) bool {
	had, want := h.options, o.ofClient()
	sameCAs := had.Access.CAs.Equal(want.Access.CAs) // which reflect cannot compare
	had.Access.CAs, want.Access.CAs = nil, nil
	return h.backend == backend && h.name == name && sameCAs && reflect.DeepEqual(had, want)
}

// acquire returns the client of a host of a backend. The caller releases it.
func (s *Hosts) acquire(backend, name string, o Options) *host {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.open, func(h *host) bool { return h.fits(backend, name, o) })
	if i < 0 {
		i, s.open = len(s.open), append(s.open, newHost(backend, name, o))
	}
	s.open[i].users++
	return s.open[i]
}

// root returns the state of a root on h, which the caller has acquired.
func (s *Hosts) root(h *host, name, url string, o Options) *root {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range h.roots {
		if r.name == name && r.url == url {
			return r
		}
	}
	r := newRoot(name, url, h, o)
	h.roots = append(h.roots, r)
	return r
}

// release stops the health checks and closes idle connections when the last user of the client
// releases it. Calls in flight continue.
func (s *Hosts) release(h *host) {
	if s.leave(h) {
		h.recoveries.close()
		h.http.transport.CloseIdleConnections()
	}
}

// leave reports whether the user was the last.
func (s *Hosts) leave(h *host) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.users--; h.users > 0 {
		return false
	}
	s.open = slices.DeleteFunc(s.open, func(o *host) bool { return o == h })
	return true
}

// Renew makes later calls to all hosts on new connections.
func (s *Hosts) Renew() {
	s.mu.Lock()
	open := slices.Clone(s.open)
	s.mu.Unlock()
	for _, h := range open {
		h.http.transport.CloseIdleConnections()
	}
}

// recoveries checks the health of the roots of a host: of each by one call at a time, also for
// later facades that share the host.
type recoveries struct {
	ctx    context.Context // of the calls; canceled by close
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

func newRecoveries() *recoveries {
	a := new(recoveries)
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// close cancels the checks and waits for their end.
func (a *recoveries) close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.cancel()
	a.running.Wait()
}
