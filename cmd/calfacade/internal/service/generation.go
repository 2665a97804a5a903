package service

import (
	"sync"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/idempotency"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/probe"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// generation is a facade with everything that depends on one configuration.
type generation struct {
	lasting
	config  config.Config
	options proxy.Options
	staging *proxy.StagingOptions
	facade  *proxy.Facade
	admin   *admin.Admin
	store   *storage
	zones   map[string]*probe.Zone // by REST root; nil if the zone is configured

	requests sync.RWMutex // locked for reading by each request in flight, and for writing when the generation is retired
}

// newGeneration makes a facade of a valid configuration, without opening a connection. The cache of the
// previous generation is reused if the options of the cache are the same.
func newGeneration(c config.Config, shared lasting, previous *generation) (g *generation, err error) {
	g = &generation{lasting: shared, config: c, options: FacadeOptions(c, shared.log)}
	g.options.Metrics = shared.metrics
	g.options.Tracer = shared.tracer
	g.options.Upstream.Wrap = shared.wrap
	g.options.Hosts = shared.hosts
	g.options.Secrets = shared.secrets
	if previous == nil {
		g.staging = shared.migration.options(c)
	} else {
		g.staging = shared.migration.optionsAfter(previous.config, previous.staging, c)
	}
	g.options.Staging = g.staging
	if previous != nil && sameStore(previous.config, c) {
		g.store = previous.store.share()
	} else if g.store, err = openStore(c, shared); err != nil {
		return nil, err
	}
	g.options.Cache = g.store.cache
	if c.Cache.SiteZone != "" {
		FixZone(c.Cache.SiteZone, &g.options)
	} else {
		g.zones = learnZones(&g.options)
	}
	if g.store.redis != nil {
		g.options.Edge.Shared = g.store.redis
	}
	if c.Extensions {
		g.options.IdempotencyKeys = g.keyStore()
	}
	g.facade = proxy.New(g.options)
	if previous != nil && previous.options.Edge.ReadOnly == g.options.Edge.ReadOnly {
		g.facade.SetReadOnly(previous.facade.ReadOnly()) // a change by the status page stays
	}
	g.admin = admin.New(admin.Options{
		Token:      c.Admin.Token.Reveal(),
		PurgeToken: c.Admin.PurgeToken.Reveal(),
		Secrets:    shared.secrets,
		Hosts:      c.Admin.Hosts,
		Client:     g.options.Edge.Trust.Client,
		Cache:      g.store.cache,
		Site:       c.Languages,
		Migration:  shared.migration.control(c, g.staging),
		Onward:     shared.onward,
		Metrics:    shared.metrics,
		Tracer:     shared.tracer,
		Log:        shared.log,
		Page:       shared.status,
		Switch:     g.facade,
		Config:     config.Effective(c),
		Zone:       g.options.Freshness.Zone,
	})
	return g, nil
}

// onwardPlan returns where the purges of the generation are passed on.
func (g *generation) onwardPlan() onward.Plan {
	c := g.config
	return onward.Plan{
		PublicURL: c.PublicURL, Languages: g.options.Site, TagSpace: tagSpace(c), Keys: c.Edge.Keys(),
		Log: g.store.purges, Targets: c.Edge.Targets(),
	}
}

// follow makes the migration follow the configuration, Redis and facade of the generation.
func (g *generation) follow() {
	g.migration.follow(g.config, g.store.link, g.store.redis, func(readOnly bool) {
		g.facade.SetReadOnly(readOnly || g.options.Edge.ReadOnly)
	})
}

// watched returns the sources of the metrics while the generation is current.
func (g *generation) watched() telemetry.Sources {
	return telemetry.Sources{Cache: g.store.cache, Redis: g.store.redis, Upstreams: g.facade.Upstreams,
		Staging: g.migration.metrics(g.facade), Targets: g.facade.Targets, Onward: g.onward}
}

// retire closes a generation that is no longer current, once no request uses it or
// the process ends.
func (g *generation) retire(ending <-chan struct{}) error {
	unused := make(chan struct{})
	go func() {
		g.requests.Lock() // for good: no request uses the generation any more
		close(unused)
	}()
	select {
	case <-unused:
	case <-ending:
	}
	return g.close()
}

// close stops background work, and then closes the resources of that work.
func (g *generation) close() error {
	g.facade.Close()
	for _, z := range g.zones {
		z.Close()
	}
	return g.store.release()
}

// keyStore returns the store of the keys of clients: Redis, so that a key counts at all instances, or the memory.
func (g *generation) keyStore() idempotency.Store {
	if g.store.redis != nil {
		return g.store.redis
	}
	return g.keys
}
