package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/probe"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// options turns a valid configuration into a facade's options, without the cache.
func options(c config.Config, log *zap.Logger) proxy.Options {
	o := proxy.Options{
		PublicURL:      c.PublicURL,
		Legacy:         legacyOptions(c.Upstream),
		Upstream:       upstreamOptions(c.Upstream),
		Backends:       backendOptions(c.Backends),
		Pages:          c.Rewrite.Site,
		Cookies:        c.Auth.Cookies,
		RenewToken:     c.Cache.RenewToken.Reveal(),
		Docs:           c.Docs.Page,
		MaxRequestBody: int64(c.Limits.MaxRequestBody),
		MaxURL:         int(c.Limits.MaxURL),
		Unknown:        c.UnknownParams == "reject",
		Edge:           edgeOptions(c),
		Log:            log,
		Requests:       telemetry.LogRequests(c.Log.Requests),
		ServerTiming:   c.ServerTiming,
		UpdatesAsIs:    c.Updates == "as_is",
		StrictUpdates:  c.UpdateHandling == "strict",
	}
	for _, l := range c.Languages {
		o.Site = append(o.Site, i18n.Language{
			Code:     l.Code,
			Root:     l.Root,
			Upstream: l.Upstream,
			Select:   l.Select,
			Aliases:  l.SiteAliases,
			Tell:     l.Tell,
			Site:     l.Site,
		})
	}
	return o
}

func edgeOptions(c config.Config) edge.Options {
	return edge.Options{
		Trust:                 edge.Trust{Proxies: c.Trusted(), Forwarded: c.ForwardedHeader == "forwarded"},
		Reads:                 edge.Quota(c.RateLimit.Reads),
		Writes:                edge.Quota(c.RateLimit.Writes),
		SignIns:               edge.Quota(c.RateLimit.FailedSignIns),
		Clients:               c.RateLimit.Clients,
		CORS:                  edge.CORS(c.CORS),
		HSTS:                  c.TLS.HSTS,
		ReadOnly:              c.Mode == "read_only",
		WritesNeedCredentials: c.Writes == "need_credentials",
		MaxBodies:             int64(c.Limits.MaxBodies),
		MaxUncached:           c.Limits.MaxUncached,
	}
}

// store is the cache. Generations with the same cache options share it.
type store struct {
	cache *cache.Cache      // nil disables caching
	redis *redisstore.Store // nil: memory only
	users atomic.Int64

	journal purgeJournal
	log     *zap.Logger
}

// openStore opens the store of a valid configuration. It opens no connection: the
// facade serves also while Redis is down.
func openStore(c config.Cache, observer telemetry.CacheObserver, log *zap.Logger) (*store, error) {
	s := &store{journal: purgeJournal{dir: c.StateDir}, log: log}
	s.users.Store(1)
	if !c.Enabled {
		return s, nil
	}
	if len(c.Redis) > 0 {
		r, err := openRedis(c)
		if err != nil {
			return nil, err
		}
		s.redis = r
	}
	answers, _ := c.Shares()
	s.cache = cache.New(cache.Options{
		Memory:            answers,
		MaxEntry:          int(c.MaxEntry),
		Redis:             s.redis,
		FetchWithoutRedis: c.WithoutRedis == "fetch",
		Doubt:             c.Doubt,
		Compress:          proxy.Compress,
		Observer:          observer,
		Caller:            proxy.Caller,
		Failures:          proxy.SharedFailures(),
	})
	if s.redis == nil {
		return s, nil
	}
	left, err := s.journal.load()
	if err != nil {
		return nil, errors.Join(err, s.release(context.Background()))
	}
	s.cache.Restore(left)
	go s.inspectRedis()
	return s, nil
}

// inspectRedis logs what the facade found of its Redis: one that is down or not set up for
// it is no error, so that nothing else would show it.
func (s *store) inspectRedis() {
	found := s.redis.Check(context.Background())
	for _, problem := range found.Problems {
		s.log.Warn("redis", zap.String("problem", problem))
	}
	if found.Servers > 0 {
		s.log.Info("redis", zap.Int("servers", found.Servers), zap.String("version", found.Version),
			zap.String("maxmemory_policy", found.Policy), zap.Duration("round_trip", found.RoundTrip), zap.Strings("notes", found.Notes))
	}
}

// openRedis opens no connection.
func openRedis(c config.Cache) (*redisstore.Store, error) {
	return redisstore.Open(redisstore.Options{URLs: c.Redis.Reveal(), Prefix: c.Prefix, PurgeWait: c.PurgeWait})
}

// share adds a user. Each user releases the store, as does the caller of openStore.
func (s *store) share() *store {
	s.users.Add(1)
	return s
}

// release closes the store after its last user. Until ctx ends it waits for purges to
// reach Redis; the journal gets the rest.
func (s *store) release(ctx context.Context) error {
	if s.users.Add(-1) > 0 || s.cache == nil {
		return nil
	}
	left := s.cache.Pending(ctx)
	s.cache.Close()
	if s.redis == nil {
		return nil
	}
	err := s.journal.leave(left)
	if len(left) > 0 {
		tags := cache.TagsOf(left)
		s.log.Error("purges have not reached redis", zap.Int("purges", len(left)), zap.Strings("tags", tags[:min(len(tags), 100)]), zap.Bool("kept", err == nil))
	}
	return errors.Join(err, s.redis.Close())
}

// freshnessOptions returns how long responses are fresh, without the zone.
func freshnessOptions(c config.Cache) freshness.Options {
	return freshness.Options{
		TTL:                  c.TTL,
		StaleWhileRevalidate: c.StaleWhileRevalidate,
		StaleIfError:         c.StaleIfError,
		Negative:             c.NegativeTTL,
		IgnoreCookies:        c.IgnoreCookies,
		OverrideNoStore:      c.OverrideNoStore,
		ObeyOrigin:           c.ObeyOrigin,
	}
}

// siteZone sets the time zone of the site: that of the configuration, or that of the
// default language's root, which learned fetches when it is first needed.
func siteZone(c config.Cache, o *proxy.Options) (learned *probe.Zone) {
	if c.Zone == "" {
		learned = probe.LearnZone(probe.ZoneOptions{Root: o.Site[0].Upstream, Upstream: o.Upstream, Log: o.Log})
		o.Freshness.Zone, o.SiteZone = learned.Location, learned.Await
		return learned
	}
	fixed, err := time.LoadLocation(c.Zone)
	if err != nil {
		panic("BUG: the zone was validated: " + err.Error())
	}
	o.Freshness.Zone = func() *time.Location { return fixed }
	o.SiteZone = func(context.Context) (*time.Location, error) { return fixed, nil }
	return nil
}

// purger returns the cache for the admin listener; nil without a cache, and not a nil
// pointer in an interface.
func (s *store) purger() admin.Purger {
	if s.cache == nil {
		return nil
	}
	return s.cache
}
