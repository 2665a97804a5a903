package proxy

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// NewLane returns a lane beside a server, which serves hits of a facade on its connections.
// current returns the facade for a request, and what to call after the response; nil leaves
// the request to net/http.
func NewLane(s *http.Server, current func() (f *Facade, done func())) *lane.Lane {
	return lane.New(lane.Options{Server: s, Answerer: func(client net.Addr, secure bool) lane.Answerer {
		a := &laneAnswerer{current: current, client: client}
		if secure {
			a.tls = &secured
		}
		return a
	}})
}

// secured stands for the TLS state of a connection. No hit depends on its content.
var secured tls.ConnectionState

// laneAnswerer serves hits on one connection, and does for each request what ServeHTTP does.
type laneAnswerer struct {
	current func() (*Facade, func())
	client  net.Addr
	tls     *tls.ConnectionState // nil: not TLS
	x       *exchange            // reused; nil until the first hit

	f    *Facade // of the response in progress; nil if there is none
	done func()
}

// Lookup implements [lane.Answerer].
func (a *laneAnswerer) Lookup(r *lane.Request) (response lane.Response, ok bool) {
	f, done := a.current()
	if f == nil {
		return response, false
	}
	defer func() {
		if !ok {
			done()
		}
	}()
	began := f.options.Clock()
	gzip := r.AcceptEncoding != nil && acceptsGzip([]string{string(r.AcceptEncoding)})
	t, got, ok := f.lookupHit(r)
	if !ok {
		return response, false
	}
	x := a.exchange(f, t, r)
	v := variantOf(got.Entry, gzip, conditionOf(r))
	n := v.number(r.Origin, f.edge.SendsHSTS(x.in))
	head := f.templateOf(got.Entry, n)
	if head == nil {
		if head = f.newTemplate(x, r, got); head == nil {
			return response, false
		}
		f.keepTemplate(t.legacyKey, got.Entry, n, head)
	}
	f.options.Cache.Hit()
	f.options.Metrics.Begin()
	x.id, x.started, x.outcome, x.in.URL = requestID(string(r.RequestID)), began, telemetry.Hit, t.url
	x.out.status = http.StatusOK
	body := v.body
	if v.notModified {
		x.out.status, body = http.StatusNotModified, nil
	}
	a.f, a.done = f, done
	return lane.Response{Head: head, Body: body, Age: int64(got.Age / time.Second), CacheStatus: cacheStatus(got), RequestID: x.id}, true
}

// Done implements [lane.Answerer].
func (a *laneAnswerer) Done(body int, err error) {
	f, done := a.f, a.done
	a.f, a.done = nil, nil
	defer done()
	a.x.out.bytes, a.x.out.err = body, err
	f.end(a.x)
}

// hasLane reports whether the lane may serve hits of the facade: whether ServeHTTP does
// nothing for a request that the lane does not do.
func (f *Facade) hasLane() bool {
	o := &f.options
	return o.Cache != nil && o.Tracer == nil && !o.ServerTiming && f.stage == nil && !f.edge.LimitsReads()
}

// lookupHit returns the fresh hit for a request, if the lane may serve it.
func (f *Facade) lookupHit(r *lane.Request) (t *target, got cache.Result, ok bool) {
	if !f.hasLane() || r.Cookie && f.options.Cookies || r.Origin && !f.edge.SameForOrigins() {
		return nil, got, false
	}
	if t, ok = f.targets.known.GetIfPresent(string(r.Target)); !ok || t.clients != nil {
		return nil, got, false
	}
	got, ok = f.options.Cache.Fresh(t.legacyKey, func(e *cache.Entry) bool { return e.Status == http.StatusOK })
	return t, got, ok
}

func conditionOf(r *lane.Request) []string {
	if r.IfNoneMatch == nil {
		return nil
	}
	return []string{string(r.IfNoneMatch)}
}

// exchange returns the connection's exchange, set to a request.
func (a *laneAnswerer) exchange(f *Facade, t *target, r *lane.Request) *exchange {
	if a.x == nil {
		a.x = &exchange{responder: responder{in: &http.Request{RemoteAddr: a.client.String(), TLS: a.tls}}}
	}
	x := a.x
	x.in.Method, x.in.Header = r.Method, nil
	if f.edge.NeedsHeader(x.in) {
		x.in.Header = r.ProxyHeader()
	}
	x.edge, x.backend = f.edge, f.legacy
	x.setTarget(t)
	return x
}
