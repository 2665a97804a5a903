package proxy

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/tracing"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// ServeHTTP implements [http.Handler].
func (f *Facade) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := f.begin(w, r)
	defer f.end(x)
	if err := f.serve(x); err != nil && err != errAnswered {
		f.options.Surrogate.SetNoStore(x.out.Header())
		x.failure = f.fail(x, err)
	}
}

func (f *Facade) serve(x *exchange) (err error) {
	defer recoverPanic(f.options.Log, x.id, &err)
	misnamed := x.overrideMethod()
	if answered, err := f.edge.Admit(&x.out, x.in, x.started); err != nil || misnamed != nil {
		f.setTarget(x, f.unrouted(x.in))
		return cmp.Or(err, misnamed)
	} else if answered {
		return nil
	}
	var known *target
	if isRead(x.in.Method) {
		known, _ = f.targets.GetIfPresent(x.in.RequestURI)
	}
	if known == nil {
		return f.serveUnknown(x)
	}
	f.setTarget(x, known)
	if known.OldNames && f.legacyIsOff(known) {
		return problem.LegacyOff(f.successor(known))
	}
	return f.forward(x, edge.IdentityOf(x.in, f.options.Cookies))
}

// serveUnknown serves a target that is not remembered. It is apart from serve because of the
// size of its frame: with it, the stack of a connection takes 16 KB and not 8.
func (f *Facade) serveUnknown(x *exchange) error {
	id := edge.IdentityOf(x.in, f.options.Cookies)
	t, err := f.resolve(x.in, func() (mapping.Node, error) { return f.body(x, id) })
	f.setTarget(x, &t)
	switch {
	case err != nil:
		return err
	case t.Docs:
		return f.documentation(x, t.Asset)
	case t.Start:
		return f.start(x)
	case t.call == nil:
		return f.describe(x)
	case t.description == nil && t.Endpoint.Local():
		return f.local(x)
	}
	err = f.forward(x, id)
	if x.outcome == telemetry.Hit { // a target that is requested once is not worth its memory
		f.learn(x.in, t)
	}
	return err
}

func (f *Facade) begin(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{
		id:      requestID(r.Header.Get("X-Request-Id")),
		in:      r,
		out:     recorder{ResponseWriter: w},
		texts:   i18n.Catalog(f.options.Site[0].Code),
		target:  &unresolved,
		via:     selection{backend: f.legacy},
		started: f.options.Clock(),
		edge:    f.edge,
	}
	x.out.Header()["X-Request-Id"] = []string{x.id}
	f.options.Metrics.Begin()
	if f.options.Tracer != nil {
		x.in = x.in.WithContext(f.beginSpan(x, x.in.Header.Get(tracing.Field)))
	}
	x.Context = x.in.Context()
	return x
}

// exchange is one request and its response. It has the 256 bytes of a size class of the allocator: the
// next one costs a hit 4 % (BenchmarkHit). It is the context of its calls.
type exchange struct {
	context.Context // of the request
	id              string
	in              *http.Request
	out             recorder
	body            *edge.Body   // nil: not read
	texts           i18n.Catalog // language of the facade's own texts
	target          *target      // shared with other requests, and immutable
	via             selection    // the legacy, until the migration selects
	edge            *edge.Edge

	// What the log, the metrics and the trace need beside the response.
	started time.Time
	span    trace.Span // nil without a tracer
	outcome telemetry.Outcome
	known   bool           // what [cache.Cache.Look] returned for it
	tester  bool           // it has the token of testers, and goes to the candidate
	failure *problem.Error // nil: none
	calls   calls
	fetched atomic.Pointer[calls] // of a fetch that this request started, and that may outlive it
}

// calls are those to backends that a request caused.
type calls struct {
	count  int32
	status int32 // of the last
	took   time.Duration
	sample *sample // to compare; nil if there is none
}

func (c *calls) add(count, status int32, took time.Duration) {
	c.count += count
	c.status = status
	c.took += took
}

// setTarget makes t the target of a request. Every response in the legacy's namespace names its
// successor.
func (f *Facade) setTarget(x *exchange, t *target) {
	x.target, x.via.key = t, t.legacyKey
	x.texts = i18n.Catalog(t.choice.Spoken)
	if t.dropped != "" {
		x.out.Header()[mapping.HeaderDropped] = []string{t.dropped}
	}
	if t.OldNames {
		f.clients.Announce(x.out.Header(), f.legacy.roots[t.Root].Public, f.successor(t))
	}
}

// overrideMethod gives the request the method that the client means, before anything else
// reads it. With an error it stays POST.
func (x *exchange) overrideMethod() error {
	if x.in.Method != http.MethodPost || x.in.Header.Values(mapping.MethodField) == nil {
		return nil
	}
	method, err := mapping.Override(x.in.Header.Values(mapping.MethodField))
	if err == nil {
		x.in = x.in.WithContext(x.in.Context()) // net/http keeps its own
		x.in.Method = method
	}
	return err
}

// client returns the address of the client.
func (x *exchange) client() netip.Addr { return x.edge.Client(x.in) }

// Value implements [context.Context]. It finds out the client only for a call that asks: a hit does not pay for that.
func (x *exchange) Value(key any) any {
	if key == (upstream.ClientKey{}) {
		return x.client()
	}
	return x.Context.Value(key)
}

// requestID returns the id that a proxy in front set, if it is harmless in a log, or a new
// one. Ids are unique, and no secrets.
func requestID(received string) string {
	if received == "" || len(received) > 64 || strings.ContainsFunc(received, notInID) {
		return strconv.FormatUint(rand.Uint64(), 36)
	}
	return received
}

func notInID(c rune) bool {
	return !('0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || strings.ContainsRune("._-", c))
}

// forward selects the backend, calls it and writes its response. The legacy serves a read that failed on the
// candidate, if the route has it so.
func (f *Facade) forward(x *exchange, id edge.Identity) error {
	if err := f.route(x, id); err != nil {
		return err
	}
	err := f.forwardTo(x, id)
	by := x.via.route
	if isBackendFault(err) && by.Candidate && by.Fallback && !x.target.call.Endpoint.Writes() && x.out.status == 0 {
		x.via = selection{backend: f.legacy, key: x.target.legacyKey}
		x.fetched.Store(nil) // is in x.calls
		return f.forwardTo(x, id)
	}
	return err
}

// route selects the backend of a request that may sign in.
func (f *Facade) route(x *exchange, id edge.Identity) error {
	if err := f.edge.AdmitSignIn(x.in, id, x.target.call.Secret(), f.options.Clock()); err != nil {
		return err
	}
	if err := f.look(x); err != nil {
		return err
	}
	if f.stage == nil || x.target.description != nil {
		return nil
	}
	tested, err := f.routeTester(x)
	if err == nil && !tested {
		x.via, _ = f.foresee(x, id)
		f.stage.count(x.target, x.via)
	}
	return err
}

// canaryClient identifies a client to a canary: by its credentials, else by its address.
func (f *Facade) canaryClient(r *http.Request, id edge.Identity) staging.Client {
	key := id.Authorization + id.Cookie
	if key == "" {
		key = f.edge.Name(r)
	}
	return staging.Client{Number: staging.NumberOf(key), Credentials: !id.Anonymous()}
}

// forwardTo serves x from the selected backend, through the cache if clients may share the
// response.
func (f *Facade) forwardTo(x *exchange, id edge.Identity) error {
	if f.options.Cache != nil && !x.target.call.Endpoint.Writes() && id.Anonymous() && !x.target.call.Secret() {
		got, err := f.lookup(x)
		if err == nil {
			f.respondEntry(x, got)
		}
		return err
	}
	return f.forwardUncached(x, id)
}

// forwardUncached serves x from the selected backend. It is apart from forwardTo because of
// the size of its frame; see serveUnknown.
func (f *Facade) forwardUncached(x *exchange, id edge.Identity) error {
	writes := x.target.call.Endpoint.Writes()
	why := "method"
	if !writes {
		x.outcome, why = telemetry.Bypass, "bypass"
	}
	f.uncached(x, why)
	leave, err := f.edge.AdmitUncached(writes)
	if err != nil {
		return err
	}
	defer leave()
	if writes {
		return f.write(x, id)
	}
	got, err := f.ask(x, x, x.target.call, id, upstream.Read)
	if err != nil {
		return err
	}
	f.send(x, got, id)
	return nil
}

// uncached sets in Cache-Status why a request bypasses the cache.
func (f *Facade) uncached(x *exchange, why string) {
	if f.options.Cache != nil {
		x.out.Header()["Cache-Status"] = []string{"calfacade; fwd=" + why}
	}
}
