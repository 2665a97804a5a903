package edge

import (
	"container/list"
	"net/netip"
	"time"
)

// failures limits how often each client may fail, for example at guessing a secret. Clients
// that come when it remembers as many as it may share one limit: addresses are cheap, and
// new ones must not make it forget others. It has no lock.
type failures struct {
	limit   int
	within  time.Duration
	clients int
	order   list.List // of *failing, the most recently used first
	known   map[netip.Addr]*list.Element
	others  failing
}

type failing struct {
	client netip.Addr
	count  int
	since  time.Time
}

// newFailures limits each client to so many failures, at least one, within a time that begins
// with its first failure. It remembers so many clients.
func newFailures(limit int, within time.Duration, clients int) *failures {
	return &failures{limit: limit, within: within, clients: clients, known: map[netip.Addr]*list.Element{}}
}

// wait returns how long a client may not try again; 0 if it may.
func (f *failures) wait(client netip.Addr, now time.Time) time.Duration {
	r := f.of(client, now)
	if r == nil || r.count < f.limit {
		return 0
	}
	return max(0, f.within-now.Sub(r.since))
}

// failed counts a failure.
func (f *failures) failed(client netip.Addr, now time.Time) {
	r := f.of(client, now)
	if r == nil {
		if f.order.Len() == f.clients {
			delete(f.known, f.order.Remove(f.order.Back()).(*failing).client)
		}
		r = &failing{client: client}
		f.known[client] = f.order.PushFront(r)
	}
	if now.Sub(r.since) >= f.within {
		r.count, r.since = 0, now
	}
	r.count++
}

// of returns the failing for a client; nil if there is none yet.
func (f *failures) of(client netip.Addr, now time.Time) *failing {
	if e := f.known[client]; e != nil {
		f.order.MoveToFront(e)
		return e.Value.(*failing)
	}
	if f.order.Len() == f.clients && now.Sub(f.order.Back().Value.(*failing).since) < f.within {
		return &f.others // no client can be forgotten yet
	}
	return nil
}
