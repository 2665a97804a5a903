package proxy

import (
	"reflect"
	"slices"
	"sync"

	"github.com/calfacade/calfacade/proxy/fair"
)

// Hosts are the clients of the hosts that facades call, with the limits of the calls to
// each and what is known of its roots. Facades that share them, as those of one
// configuration after another do, share the client of a host while its options are the
// same: then an open breaker stays open, and both together keep within the limits. The
// zero value is ready for use. It is safe for concurrent use.
//
// Of the functions in the options of a client the first facade's are kept: all facades
// must have what does the same.
type Hosts struct {
	mu   sync.Mutex
	open []*upstreamHost
}

// upstreamHost is what the roots on one host share: it is one machine that may be
// overloaded.
type upstreamHost struct {
	backend, name string
	options       UpstreamOptions // of the client
	caller        caller
	bulkhead      *bulkhead
	budget        *budget
	absences      *absences

	// What Hosts guards.
	users int
	roots []*upstreamRoot
}

func newUpstreamHost(backend, name string, o UpstreamOptions) *upstreamHost {
	return &upstreamHost{
		backend: backend, name: name, options: o.ofClient(), caller: newCaller(o),
		bulkhead: newBulkhead(fair.Limits{Places: o.MaxConcurrent, Queue: o.MaxQueue, Share: o.ClientShare}, o.QueueTimeout),
		budget:   newBudget(o.RetryPercent),
		absences: newAbsences(),
	}
}

// ofClient are the options that a client is made of: all but those that are read for each
// call, and what only observes.
func (o UpstreamOptions) ofClient() UpstreamOptions {
	o.Timeout, o.MaxBody, o.Retries, o.MaxRetryAfter = 0, 0, 0, 0
	o.Wrap, o.Observer, o.Tracer, o.Log = nil, UpstreamObserver{}, nil, nil
	return o
}

// fits reports whether a client for a host would be the same as h.
func (h *upstreamHost) fits(backend, name string, o UpstreamOptions) bool {
	had, want := h.options, o.ofClient()
	sameCAs := had.Access.CAs.Equal(want.Access.CAs) // which reflect cannot tell
	had.Access.CAs, want.Access.CAs = nil, nil
	return h.backend == backend && h.name == name && sameCAs && reflect.DeepEqual(had, want)
}

// acquire returns the client of a host of a backend. Whoever gets it must release it.
func (s *Hosts) acquire(backend, name string, o UpstreamOptions) *upstreamHost {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.open, func(h *upstreamHost) bool { return h.fits(backend, name, o) })
	if i < 0 {
		i, s.open = len(s.open), append(s.open, newUpstreamHost(backend, name, o))
	}
	s.open[i].users++
	return s.open[i]
}

// root returns what is known of a root on h, which the caller has acquired.
func (s *Hosts) root(h *upstreamHost, name, url string, o UpstreamOptions) *upstreamRoot {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range h.roots {
		if r.name == name && r.url == url {
			return r
		}
	}
	r := newUpstreamRoot(name, url, h, o)
	h.roots = append(h.roots, r)
	return r
}

// release ends what goes on in the background, and the connections that wait for a next
// call, once nobody uses the client. Calls under way go on.
func (s *Hosts) release(h *upstreamHost) {
	if s.leave(h) {
		h.absences.close()
		h.caller.transport.CloseIdleConnections()
	}
}

// leave reports whether the user was the last.
func (s *Hosts) leave(h *upstreamHost) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.users--; h.users > 0 {
		return false
	}
	s.open = slices.DeleteFunc(s.open, func(o *upstreamHost) bool { return o == h })
	return true
}
