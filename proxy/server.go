package proxy

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/docs"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/probe"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Options are what a Facade is made of.
type Options struct {
	Site      i18n.Site        // at least one language
	PublicURL string           // what links start with, without a slash at the end
	Legacy    LegacyOptions    // how the legacy speaks
	Upstream  upstream.Options // how backends are called
	Backends  []BackendOptions // others than the legacy, which are called as it is
	Hosts     *upstream.Hosts  // their clients, which outlive the facade; nil: it has its own
	Staging   StagingOptions   // which of them answers what
	Pages     string           // URL to show the site's pages at; "" to leave their links
	Cookies   bool             // pass WordPress's login cookies and nonces
	Docs      bool             // serve the documentation for people at [docs.Path]

	Cache     *cache.Cache      // nil: nothing is kept
	Freshness freshness.Options // how long it is kept
	Targets   int64             // bytes that known request targets may take; 0 is 16 MiB

	// SiteZone returns the time zone of the site, for dates that are instants. nil:
	// unknown, and writes with such dates are refused where they need it.
	SiteZone func(context.Context) (*time.Location, error)

	UpdatesAsIs   bool // updates name no more than clients do, though the site resets the rest
	StrictUpdates bool // an update that did something else than it said is answered with an error

	RenewToken string        // who sends it may have an answer made anew; "" is nobody
	Secrets    *edge.Secrets // checks that; nil: one of the facade's own

	MaxRequestBody int64           // bytes; 0 is 1 MiB
	MaxURL         int             // bytes of path and query; 0 is 8 KiB
	Unknown        mapping.Unknown // what becomes of parameters the table does not name

	Edge edge.Options // limits, CORS and read-only mode

	Log      *zap.Logger           // nil logs nothing
	Requests telemetry.LogRequests // of which requests there is a record; "" is LogAll
	Metrics  *telemetry.Metrics    // nil counts nothing

	Tracer trace.Tracer // records spans; nil records none

	ServerTiming bool // tells clients in Server-Timing what their answer took

	Clock func() time.Time // nil is time.Now
}

func (o Options) withDefaults() Options {
	if o.MaxRequestBody == 0 {
		o.MaxRequestBody = 1 << 20
	}
	if o.MaxURL == 0 {
		o.MaxURL = 8 << 10
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Hosts == nil {
		o.Hosts = new(upstream.Hosts)
	}
	if o.Secrets == nil {
		o.Secrets = edge.NewSecrets(edge.SecretsOptions{Metrics: o.Metrics, Log: o.Log, Clock: o.Clock})
	}
	if o.SiteZone == nil {
		o.SiteZone = func(context.Context) (*time.Location, error) { return nil, probe.ErrNoZone }
	}
	return o
}

// Facade answers the neutral namespace. It is an [http.Handler].
type Facade struct {
	options  Options
	edge     *edge.Edge
	vary     []string // of responses from the cache
	docs     *docs.Docs
	router   *router
	targets  *targets
	backends []*backend // the legacy first
	legacy   *backend
	stage    *stage // nil: the legacy answers all
	spaces   mapping.TagSpaces
	codes    []int // parallel to options.Site: each language's number among the labels
}

// New makes a facade. It does not call the legacy.
func New(o Options) *Facade {
	o = o.withDefaults()
	f := &Facade{
		options: o,
		router:  newRouter(o.Site, o.Docs),
		edge:    edge.New(o.Edge, o.Metrics),
		targets: newTargets(cmp.Or(o.Targets, defaultTargets)),
		spaces:  mapping.NewTagSpaces(len(o.Site), o.Site.Together),
	}
	f.vary = f.edge.Vary(varies(o.Cookies))
	for _, l := range o.Site {
		f.codes = append(f.codes, telemetry.LanguageNumber(l.Code))
	}
	o.Upstream.Log, o.Upstream.Tracer = cmp.Or(o.Upstream.Log, o.Log), o.Tracer
	if o.Metrics != nil {
		o.Metrics.Observe(&o.Upstream.Observer)
	}
	for _, is := range append([]BackendOptions{legacyBackend(o)}, o.Backends...) {
		f.backends = append(f.backends, newBackend(is, o))
	}
	f.legacy = f.backends[0]
	f.docs = docs.New(f.legacy.roots, o.Cookies)
	f.stage = newStage(o.Staging, f)
	return f
}

// Close ends comparisons, and the connections to backends that wait for a next call and
// that no other facade uses. It must be called once. Requests under way end as they would
// have.
func (f *Facade) Close() {
	f.stage.close()
	for _, b := range f.backends {
		b.upstream.Close()
	}
}

// SetReadOnly switches read-only mode, in which writes are refused.
func (f *Facade) SetReadOnly(on bool) { f.edge.SetReadOnly(on) }

// ReadOnly reports whether writes are refused.
func (f *Facade) ReadOnly() bool { return f.edge.ReadOnly() }

// ServeHTTP implements [http.Handler].
func (f *Facade) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := f.begin(w, r)
	defer f.end(x)
	if err := f.serve(x); err != nil {
		x.fail(err)
	}
}

func (f *Facade) serve(x *exchange) (err error) {
	defer caught(f.options.Log, x.id, &err)
	if answered, err := f.edge.Admit(&x.out, x.in, x.started); err != nil {
		x.aim(f.unrouted(x.in))
		return err
	} else if answered {
		return nil
	}
	if known, ok := f.targets.get(x.in); ok {
		x.aim(known)
		return f.forward(x)
	}
	t, err := f.resolve(x.in, func() (mapping.Node, error) { return f.body(x) })
	x.aim(&t)
	switch {
	case err != nil:
		return err
	case t.docs:
		return f.documentation(x, t.asset)
	case t.endpoint == nil:
		return f.describe(x)
	case t.endpoint.Local():
		return f.local(x)
	}
	err = f.forward(x)
	if x.outcome == telemetry.Hit { // what comes once need not be remembered
		f.targets.learn(x.in, t)
	}
	return err
}

// exchange is one request and its answer.
type exchange struct {
	id      string
	edge    *edge.Edge
	in      *http.Request
	body    *edge.Body // nil: not read
	out     recorder
	started time.Time

	*target                // what it asks for; shared with other requests, and never changed
	key      string        // of the call in the cache, at the backend that answers
	voice    i18n.Voice    // language of the facade's own texts
	backend  *backend      // answers
	route    staging.Route // says which
	upstream upstreamRecord
	span     trace.Span                     // nil without a tracer
	fetched  atomic.Pointer[upstreamRecord] // what a fetch begun for this request cost, which may outlive it
	outcome  telemetry.Outcome
	failure  *problem.Error
}

func (f *Facade) begin(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{
		id:      requestID(r),
		edge:    f.edge,
		backend: f.legacy,
		in:      r,
		out:     recorder{ResponseWriter: w},
		started: f.options.Clock(),
		target:  &unresolved,
		voice:   i18n.Voice(f.options.Site[0].Code),
	}
	x.out.Header()["X-Request-Id"] = []string{x.id}
	f.options.Metrics.Begin()
	f.beginSpan(x)
	if f.options.ServerTiming {
		x.out.before = func() { x.tellTiming(f.options.Clock()) }
	}
	return x
}

var knownID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestID takes the id that a proxy in front gave, if it is harmless in a log.
// One of its own is no secret, only unlike the others.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); id != "" && knownID.MatchString(id) {
		return id
	}
	return newID()
}

func newID() string { return strconv.FormatUint(rand.Uint64(), 36) }
