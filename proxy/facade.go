package proxy

import (
	"cmp"
	"sync"

	"github.com/maypok86/otter/v2"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/docs"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Facade serves the neutral namespace. It is an [http.Handler].
type Facade struct {
	options  Options
	edge     *edge.Edge
	vary     []string // Vary of entries
	docs     *docs.Docs
	router   *router
	targets  *otter.Cache[string, *target] // those that were seen before, by [http.Request.RequestURI]
	backends []*backend                    // the legacy first
	legacy   *backend
	stage    *stage // nil: the legacy serves all calls
	accepted *accepted
	clients  *legacyclients.Clients // nil: all clients speak the neutral names
	spaces   mapping.TagSpaces
	unshared sync.Once // logs that the site prevents caching
	codes    []int     // parallel to options.Site: index of each language among the metric labels
}

// New makes a facade. It does not call the legacy.
func New(o Options) *Facade {
	o = o.withDefaults()
	f := &Facade{
		options:  o,
		accepted: newAccepted(),
		clients:  legacyclients.New(o.LegacyClients),
		edge:     edge.New(o.Edge, o.Metrics.SignIn),
		targets:  newTargets(cmp.Or(o.Targets, defaultTargets)),
		spaces:   mapping.NewTagSpaces(len(o.Site), o.Site.Together),
	}
	f.router = newRouter(o.Site, o.Docs, f.clients.Namespace())
	for _, l := range o.Site {
		f.codes = append(f.codes, telemetry.LanguageNumber(l.Code))
	}
	o.Upstream.Log, o.Upstream.Tracer = cmp.Or(o.Upstream.Log, o.Log), o.Tracer
	o.Upstream.Called = o.Metrics.Observe(o.Upstream.Called)
	for _, is := range append([]BackendOptions{o.Legacy}, o.Backends...) {
		f.backends = append(f.backends, newBackend(is, o))
	}
	f.legacy = f.backends[0]
	f.docs = docs.New(f.legacy.roots, o.Cookies, finish)
	f.stage = newStage(o, f.backends)
	f.vary = f.edge.Vary(f.varies())
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

// Upstreams returns the state of the REST roots, backend by backend in the order of the
// languages, the legacy first.
func (f *Facade) Upstreams() []upstream.RootStats {
	var all []upstream.RootStats
	for _, b := range f.backends {
		all = append(all, b.upstream.Stats()...)
	}
	return all
}

// CacheShape returns a hash of all options that responses depend on, such as
// [Options.PublicURL]. Instances share only entries of the same shape.
func (f *Facade) CacheShape() string { return f.legacy.shape }

// Targets returns the memory of the known request targets, in bytes.
func (f *Facade) Targets() uint64 {
	f.targets.CleanUp() // counts those that were added last
	return f.targets.WeightedSize()
}

// Dropped returns the number of comparisons that were dropped because the queue was full.
func (f *Facade) Dropped() uint64 {
	if f.stage == nil {
		return 0
	}
	return f.stage.queue.Dropped()
}

// varies returns Vary of cached responses, without the fields of CORS. It has the fields that select the
// backend of a tester: a shared cache must not serve a tester what it stored for others.
func (f *Facade) varies() string {
	fields := "Accept-Encoding, Authorization"
	if f.options.Cookies {
		fields += ", Cookie, X-WP-Nonce"
	}
	if f.stage != nil && f.stage.options.TesterToken != "" {
		fields += ", " + testerField
		if !f.options.Cookies {
			fields += ", Cookie"
		}
	}
	return fields
}

// finish completes a document.
func finish(d *docs.Document) { d.Gzip, d.ETag = compress(d.Body), etag(d.Body) }
