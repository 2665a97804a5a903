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
	t, ok := f.laneTarget(r)
	if !ok {
		return response, false
	}
	began := f.options.Clock()
	x := a.exchange(f, t, r)
	x.purgesKnown = f.options.Cache.ReadLog()
	result, ok := f.handler.hit(x, r)
	if !ok || result.Entry.Status != http.StatusOK {
		return response, false
	}
	v := variantOf(result.Entry, r.AcceptEncoding != nil && acceptsGzip([]string{string(r.AcceptEncoding)}), lines(r.IfNoneMatch))
	head := f.templateFor(x, r, result, v)
	if head == nil {
		return response, false
	}
	response = lane.Response{Head: head, Age: int64((result.Age + result.Entry.Aged) / time.Second), CacheStatus: hitStatus,
		TTL: int64(result.TTL / time.Second)}
	response.Expires, _ = f.options.Surrogate.Expires(result)
	if response.RateLimit, ok = f.edge.AdmitRead(x.request, began); !ok {
		return response, false
	}
	f.options.Metrics.Begin()
	f.handler.served(x)
	x.id = requestID(string(r.RequestID))
	x.started = began
	x.outcome = telemetry.Hit
	x.request.URL = t.url
	if f.options.Tracer != nil {
		f.recordHit(x, r.Traceparent)
	}
	response.RequestID = x.id
	x.out.status = http.StatusOK
	response.Body = v.body
	if v.notModified {
		x.out.status = http.StatusNotModified
		response.Body = nil
	}
	a.f, a.done = f, done
	return response, true
}

// Done implements [lane.Answerer].
func (a *laneAnswerer) Done(body int, err error) {
	f := a.f
	done := a.done
	a.f, a.done = nil, nil
	defer done()
	a.x.out.bytes, a.x.out.err = body, err
	f.options.Metrics.Lane.Add(1)
	f.end(a.x)
}

// laneTarget returns the target of a request that the lane may serve: a request without credentials, with a
// known target, and with a response that depends on nothing that the lane does not read, and has no header field
// that its entry lacks.
func (f *Facade) laneTarget(r *lane.Request) (*target, bool) {
	t, ok := f.targets.GetIfPresent(string(r.Target))
	if !ok || t.header != nil || f.options.Cache == nil || !r.ReadHeader() {
		return nil, false
	}
	if r.Origin && !f.edge.SameForOrigins() || r.Nonce && f.options.Cookies ||
		r.Cookie != nil && f.options.Cookies && edge.MaySignIn(r.Cookie) {
		return nil, false
	}
	return t, true
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
		a.x = &exchange{request: &http.Request{RemoteAddr: a.client.String()}}
	}
	x := a.x
	x.request.Method = r.Method
	x.request.Header = nil
	if f.edge.NeedsHeader(x.request) {
		x.request.Header = r.ProxyHeader()
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
	for i, isSet := range []bool{v.gzipped, v.notModified, fleeting} {
		if isSet {
			n |= 1 << i
		}
	}
	return n
}

// templateFor returns the head template of a variant of an entry, and makes a missing template. The result is
// nil if the lane cannot send that head.
func (f *Facade) templateFor(x *exchange, r *lane.Request, result cache.Result, v variant) *lane.Template {
	n := v.number(result.Fleeting)
	existing, ok := result.Entry.Prepared().(*templates)
	if !ok || existing.edge != f.edge.ID {
		existing = &templates{edge: f.edge.ID, size: templatesOverhead}
	}
	if existing.heads[n] != nil {
		return existing.heads[n]
	}
	head := f.newTemplate(x, r, result)
	if head != nil { // stored with the others; a template stored at the same time may be lost, and is then rebuilt
		extended := *existing
		extended.heads[n] = head
		extended.size += head.Size()
		f.options.Cache.Prepare(x.key, result.Entry, &extended, extended.size)
	}
	return head
}

// templatesOverhead is the memory of templates without the templates themselves, in bytes.
const templatesOverhead = 96

// newTemplate makes a head template from the header that Admit and respondEntry set. The result is nil for a
// response that net/http would change.
func (f *Facade) newTemplate(x *exchange, r *lane.Request, result cache.Result) *lane.Template {
	w := headWriter{"X-Request-Id": {""}}
	// A response depends on these fields of a request.
	request := &http.Request{Method: x.request.Method, RemoteAddr: x.request.RemoteAddr,
		Header: http.Header{"Accept-Encoding": lines(r.AcceptEncoding), "If-None-Match": lines(r.IfNoneMatch)}}
	maps.Copy(request.Header, x.request.Header)
	copied := &exchange{request: request, out: recorder{ResponseWriter: w}, texts: x.texts}
	f.edge.SetHeader(w, request)
	f.edge.SetLimitHeader(http.Header(w))
	x.site.respondEntry(copied, result)
	return lane.NewTemplate(copied.out.status, http.Header(w))
}

// headWriter has the header of a response that is not sent.
type headWriter http.Header

func (w headWriter) Header() http.Header         { return http.Header(w) }
func (w headWriter) WriteHeader(int)             {}
func (w headWriter) Write(b []byte) (int, error) { return len(b), nil }
