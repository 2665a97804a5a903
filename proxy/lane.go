package proxy

import (
	"maps"
	"net"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// NewLane returns a lane beside a server, which serves hits of a facade on its connections. current returns the
// facade for a request, and a function to call after the response; a nil facade leaves the request to net/http.
func NewLane(s *http.Server, current func() (f *Facade, done func())) *lane.Lane {
	return lane.New(s, func(client net.Addr) lane.Answerer { return &laneAnswerer{current: current, client: client} })
}

// laneAnswerer serves hits on one connection, with the same steps for each request as ServeHTTP.
type laneAnswerer struct {
	current func() (*Facade, func())
	client  net.Addr
	x       *exchange // reused; nil until the first hit

	f    *Facade // of the response in progress; nil between responses
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
	t, ok := f.laneTarget(r)
	if !ok {
		return response, false
	}
	x := a.exchange(f, t, r)
	x.known = f.options.Cache.Look()
	got, ok := f.handler.hit(x, r)
	if !ok || got.Entry.Status != http.StatusOK {
		return response, false
	}
	v := variantOf(got.Entry, r.AcceptEncoding != nil && acceptsGzip([]string{string(r.AcceptEncoding)}), lines(r.IfNoneMatch))
	head := f.templateFor(x, r, got, v)
	if head == nil {
		return response, false
	}
	response = lane.Response{Head: head, Age: int64((got.Age + got.Entry.Aged) / time.Second), CacheStatus: hitStatus,
		TTL: int64(got.TTL / time.Second)}
	response.Expires, _ = x.site.left(got)
	if response.RateLimit, ok = f.edge.AdmitRead(x.in, began); !ok {
		return response, false
	}
	f.options.Metrics.Begin()
	f.handler.served(x)
	x.id, x.started, x.outcome, x.in.URL = requestID(string(r.RequestID)), began, telemetry.Hit, t.url
	if f.options.Tracer != nil {
		f.recordHit(x, r.Traceparent)
	}
	response.RequestID = x.id
	x.out.status, response.Body = http.StatusOK, v.body
	if v.notModified {
		x.out.status, response.Body = http.StatusNotModified, nil
	}
	a.f, a.done = f, done
	return response, true
}

// Done implements [lane.Answerer].
func (a *laneAnswerer) Done(body int, err error) {
	f, done := a.f, a.done
	a.f, a.done = nil, nil
	defer done()
	a.x.out.bytes, a.x.out.err = body, err
	f.options.Metrics.Lane.Add(1)
	f.end(a.x)
}

// laneTarget returns the target of a request that the lane may serve: a request without credentials, with a
// known target, and with a response that depends on nothing that the lane does not read.
func (f *Facade) laneTarget(r *lane.Request) (*target, bool) {
	if f.options.Cache == nil || r.Origin && !f.edge.SameForOrigins() || r.Nonce && f.options.Cookies ||
		r.Cookie != nil && f.options.Cookies && edge.MaySignIn(r.Cookie) {
		return nil, false
	}
	t, ok := f.targets.GetIfPresent(string(r.Target))
	return t, ok && !t.OldNames && t.dropped == ""
}

// lines returns the lines of a field that has at most one line.
func lines(value []byte) []string {
	if value == nil {
		return nil
	}
	return []string{string(value)}
}

// exchange returns the connection's exchange, set to a request.
func (a *laneAnswerer) exchange(f *Facade, t *target, r *lane.Request) *exchange {
	if a.x == nil {
		a.x = &exchange{in: &http.Request{RemoteAddr: a.client.String()}}
	}
	x := a.x
	x.in.Method, x.in.Header = r.Method, nil
	if f.edge.NeedsHeader(x.in) {
		x.in.Header = r.ProxyHeader()
	}
	x.edge = f.edge
	x.site = f.site
	f.setTarget(x, t)
	return x
}

// templates are the head templates of an entry, by variant. Templates are stored with the entry (see
// [cache.Cache.Prepare]), depend on nothing but the entry and the edge, and are immutable.
type templates struct {
	edge  uint64            // ID of the edge that the templates depend on
	heads [8]*lane.Template // nil before the first use
	size  int               // memory, in bytes
}

// number returns the index of a variant among the templates.
func (v variant) number(fleeting bool) int {
	n := 0
	for i, is := range []bool{v.gzipped, v.notModified, fleeting} {
		if is {
			n |= 1 << i
		}
	}
	return n
}

// templateFor returns the head template of a variant of an entry, and makes a missing template. The result is
// nil if the lane cannot send that head.
func (f *Facade) templateFor(x *exchange, r *lane.Request, got cache.Result, v variant) *lane.Template {
	n := v.number(got.Fleeting)
	have, ok := got.Entry.Prepared().(*templates)
	if !ok || have.edge != f.edge.ID {
		have = &templates{edge: f.edge.ID, size: templatesOverhead}
	}
	if have.heads[n] != nil {
		return have.heads[n]
	}
	head := f.newTemplate(x, r, got)
	if head != nil { // stored with the others; a template stored at the same time may be lost, and is then rebuilt
		more := *have
		more.heads[n] = head
		more.size += head.Size()
		f.options.Cache.Prepare(x.key, got.Entry, &more, more.size)
	}
	return head
}

// templatesOverhead is the memory of templates without the templates themselves, in bytes.
const templatesOverhead = 96

// newTemplate makes a head template from the header that Admit and respondEntry set. The result is nil for a
// response that net/http would change.
func (f *Facade) newTemplate(x *exchange, r *lane.Request, got cache.Result) *lane.Template {
	w := headWriter{"X-Request-Id": {""}}
	// A response depends on these fields of a request.
	in := &http.Request{Method: x.in.Method, RemoteAddr: x.in.RemoteAddr,
		Header: http.Header{"Accept-Encoding": lines(r.AcceptEncoding), "If-None-Match": lines(r.IfNoneMatch)}}
	maps.Copy(in.Header, x.in.Header)
	to := &exchange{in: in, out: recorder{ResponseWriter: w}, texts: x.texts}
	f.edge.SetHeader(w, in)
	f.edge.SetLimitHeader(http.Header(w))
	x.site.respondEntry(to, got)
	return lane.NewTemplate(to.out.status, http.Header(w))
}

// headWriter has the header of a response that is not sent.
type headWriter http.Header

func (w headWriter) Header() http.Header         { return http.Header(w) }
func (w headWriter) WriteHeader(int)             {}
func (w headWriter) Write(b []byte) (int, error) { return len(b), nil }
