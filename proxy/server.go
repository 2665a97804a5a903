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

// Options configure a Facade. Zero values work, except Site and Legacy.Namespace.
type Options struct {
	Site      i18n.Site        // at least one language
	PublicURL string           // what links start with, without a slash at the end
	Legacy    LegacyOptions    // the dialect of the legacy
	Upstream  upstream.Options // how backends are called
	Backends  []BackendOptions // the other backends, called with the same options
	Hosts     *upstream.Hosts  // HTTP clients of the backends, which outlive the facade; nil: its own
	Staging   StagingOptions   // selects the backend for each call
	Pages     string           // URL at which the site's pages are published; "" leaves links to them as they are
	Cookies   bool             // pass WordPress's login cookies and nonces
	Docs      bool             // serve the documentation page at [docs.Path]

	Cache     *cache.Cache      // nil disables caching
	Freshness freshness.Options // of cached responses
	Targets   int64             // bytes of memory for known request targets; 0 is 16 MiB

	// SiteZone returns the time zone of the site, for dates that are instants. Writes that
	// need it are refused if it fails. nil: it is unknown.
	SiteZone func(context.Context) (*time.Location, error)

	UpdatesAsIs   bool // send updates with the client's fields alone, although the site resets the others
	StrictUpdates bool // respond with an error if an update had another effect than requested

	RenewToken string        // permits clients that send it to refresh an entry; "" permits none
	Secrets    *edge.Secrets // checks RenewToken; nil: the facade's own

	MaxRequestBody int64           // bytes; 0 is 1 MiB
	MaxURL         int             // bytes of path and query; 0 is 8 KiB
	Unknown        mapping.Unknown // what to do with parameters that the table does not name

	Edge edge.Options // limits, CORS and read-only mode

	Log      *zap.Logger           // nil logs nothing
	Requests telemetry.LogRequests // the requests to log; "" is LogAll
	Metrics  *telemetry.Metrics    // nil counts nothing

	Tracer trace.Tracer // nil disables tracing

	ServerTiming bool // send Server-Timing

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

// Facade serves the neutral namespace. It is an [http.Handler].
type Facade struct {
	options  Options
	edge     *edge.Edge
	vary     []string // of responses from the cache
	docs     *docs.Docs
	router   *router
	targets  *targets
	backends []*backend // the legacy first
	legacy   *backend
	stage    *stage // nil: the legacy serves all calls
	spaces   mapping.TagSpaces
	codes    []int // parallel to options.Site: index of each language among the metric labels
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
	f.docs = docs.New(f.legacy.roots)
	f.stage = newStage(o.Staging, f)
	return f
}

// Close stops comparisons, and closes idle connections to backends that no other facade
// uses. It must be called once. Requests in progress are not affected.
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
	defer recoverPanic(f.options.Log, x.id, &err)
	if answered, err := f.edge.Admit(&x.out, x.in, x.started); err != nil {
		x.setTarget(f.unrouted(x.in))
		return err
	} else if answered {
		return nil
	}
	if known, ok := f.targets.get(x.in); ok {
		x.setTarget(known)
		return f.forward(x)
	}
	t, err := f.resolve(x.in, func() (mapping.Node, error) { return f.body(x) })
	x.setTarget(&t)
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
	if x.outcome == telemetry.Hit { // a target that is requested once is not worth its memory
		f.targets.learn(x.in, t)
	}
	return err
}

// exchange is one request and its response.
type exchange struct {
	id      string
	edge    *edge.Edge
	in      *http.Request
	body    *edge.Body // nil: not read
	out     recorder
	started time.Time

	*target                // shared with other requests, and immutable
	key      string        // of the call in the cache, at the selected backend
	voice    i18n.Catalog  // language of the facade's own texts
	backend  *backend      // selected
	route    staging.Route // that selected it
	upstream upstreamRecord
	span     trace.Span                     // nil without a tracer
	fetched  atomic.Pointer[upstreamRecord] // calls of a fetch that this request started, and that may outlive it
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
		voice:   i18n.Catalog(f.options.Site[0].Code),
	}
	x.out.Header()["X-Request-Id"] = []string{x.id}
	f.options.Metrics.Begin()
	f.beginSpan(x)
	if f.options.ServerTiming {
		x.out.before = func() { x.setServerTiming(f.options.Clock()) }
	}
	return x
}

var knownID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestID returns the id that a proxy in front set, if it is harmless in a log, or a new
// one. Ids are unique, and no secrets.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); id != "" && knownID.MatchString(id) {
		return id
	}
	return newID()
}

func newID() string { return strconv.FormatUint(rand.Uint64(), 36) }
