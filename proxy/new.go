package proxy

import (
	"cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/docs"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/idempotency"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// New makes a facade. New does not call the legacy.
func New(o Options) *Facade {
	o = o.withDefaults()
	shared := &base{
		options: o,
		edge:    edge.New(o.Edge, o.Metrics.SignIn),
		spaces:  mapping.NewTagSpaces(len(o.Site), o.Site.Together),
	}
	f := &Facade{
		base:    shared,
		clients: legacyclients.New(o.LegacyClients),
		targets: newTargets(cmp.Or(o.Targets, DefaultTargets)),
	}
	f.router = newRouter(o.Site, o.Docs, f.clients.Namespace())
	for _, l := range o.Site {
		f.codes = append(f.codes, telemetry.LanguageNumber(l.Code))
	}
	o.Upstream.Log = cmp.Or(o.Upstream.Log, o.Log)
	o.Upstream.Tracer = o.Tracer
	o.Upstream.Called = o.Metrics.Observe(o.Upstream.Called)
	for _, b := range append([]BackendOptions{o.Legacy}, o.Backends...) {
		f.backends = append(f.backends, newBackend(b, o))
	}
	f.site = newSite(shared, f.backends[0])
	f.handler = f.site
	if o.IdempotencyKeys != nil {
		f.keys = &idempotency.Keys{Store: o.IdempotencyKeys, Clock: o.Clock}
	}
	f.docs = docs.New(f.site.backend.roots, docs.Options{Cookies: o.Cookies, Extensions: o.Extensions}, finish)
	shared.vary = f.edge.Vary(varies(o.Cookies))
	if s, ok := o.Staging.(switcher); ok {
		f.handler = s.between(f.site, f.backends)
	}
	return f
}

// varies returns Vary of cached responses, without the fields of CORS.
func varies(cookies bool) string {
	fields := "Accept-Encoding, Authorization"
	if cookies {
		fields += ", Cookie, X-WP-Nonce"
	}
	return fields
}
