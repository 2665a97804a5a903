package proxy

import (
	"context"
	"maps"
	"net/http"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/probe"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Probe probes the REST roots of the backends; see [probe.Run].
func (f *Facade) Probe(ctx context.Context) []probe.Finding {
	o := probe.Options{
		Site: f.options.Site, Pages: f.options.Pages, Clock: f.options.Clock,
		LegacyAt: func(roots map[string]string) probe.Backend {
			legacy := legacyBackend(f.options)
			maps.Copy(legacy.Upstreams, roots)
			return newBackend(legacy, f.options).probed()
		},
		Unshared: func(h http.Header) (reason, key string) {
			found, _ := f.options.Freshness.Obstacle(h)
			return found.Cause, found.Key
		},
	}
	for _, b := range f.backends {
		o.Backends = append(o.Backends, b.probed())
	}
	return probe.Run(ctx, o)
}

// probed returns what package probe needs of the backend.
func (b *backend) probed() probe.Backend {
	return probe.Backend{Name: b.name, Dialect: b.dialect, Roots: b.roots, Rewriter: b.rewriter, Client: probeClient{b.upstream, b}}
}

// probeClient implements [probe.Client].
type probeClient struct {
	*upstream.Caller
	backend *backend
}

// Convert implements [probe.Client].
func (c probeClient) Convert(ctx context.Context, call *mapping.Call, language i18n.Choice, got upstream.Response) (upstream.Response, error) {
	return c.backend.convert(ctx, backendCall{call: call, choice: language, class: upstream.Read}, got, new(upstreamRecord))
}
