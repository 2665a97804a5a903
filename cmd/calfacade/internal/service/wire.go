package service

import (
	"context"
	"net/http"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/probe"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// options turns a valid configuration into a facade's options, without the parts that outlive the facade.
func FacadeOptions(c config.Config, log *zap.Logger) proxy.Options {
	c.CORS.MaxAge = preflightAge
	o := proxy.Options{
		PublicURL: c.PublicURL,
		Legacy: proxy.BackendOptions{
			Dialect:     mapping.API{Dialect: config.DialectOf(c.Upstream.Dialect), LanguageParam: c.Upstream.LanguageParam},
			SiteAliases: c.Languages[0].Aliases,
			WordPress:   c.Upstream.WordPressURL,
		},
		Upstream: upstream.Options{
			Access: upstream.AccessOptions{Host: c.Upstream.Host, CAs: c.Upstream.CAs, Header: c.Upstream.Header(),
				ClientCredentials: http.CanonicalHeaderKey(c.Upstream.Authorization)},
			Timeout:       c.Upstream.Timeout,
			MaxConcurrent: c.Upstream.MaxConcurrent,
			MaxQueue:      maxQueue,
			Retries:       retries,
			Breaker:       upstream.BreakerOptions{Failures: openAfter},
			MaxRetryAfter: maxRetryAfter,
		},
		LegacyClients: c.LegacyNames(),
		Pages:         c.PagesURL,
		Cookies:       c.LoginCookies,
		Freshness:     c.Cache.Options,
		Surrogate:     c.Edge.Surrogate,
		Docs:          c.DocsPage,
		Extensions:    c.Extensions,
		Unknown:       mapping.Unknown(c.UnknownParams),
		Edge: edge.Options{
			Trust:                 edge.Trust{Proxies: c.TrustedProxies},
			Reads:                 c.RateLimit.Reads,
			Writes:                c.RateLimit.Writes,
			SignIns:               c.RateLimit.FailedSignIns,
			CORS:                  c.CORS,
			ReadOnly:              c.Writes == "none",
			WritesNeedCredentials: c.Writes == "need_credentials",
			MaxBodies:             maxBodies,
			MaxUncached:           maxUncached,
		},
		Log:         log,
		Requests:    c.Log.Requests,
		LogClient:   c.Log.Client,
		UpdatesAsIs: c.Updates == "as_is",
		Site:        c.Languages,
	}
	_, o.Targets = c.Cache.Shares()
	for _, b := range c.Backends {
		o.Backends = append(o.Backends, backendOptions(b))
	}
	if c.TLS.CertFile != "" { // where a proxy in front has the certificate, the field is the proxy's to send
		o.Edge.HSTS = hsts
	}
	return o
}

// tagSpace identifies the meaning of the tags of entries.
func tagSpace(c config.Config) string {
	return mapping.NewTagSpaces(len(c.Languages), c.Languages.Together).ID()
}

// Limits for all clients together, so that the process fits in the memory that docs/recipes/sizing.md states.
const (
	maxBodies   = 64 << 20 // bytes of request bodies in progress
	maxUncached = 1024     // requests in progress that the cache does not answer
)

const (
	preflightAge = 10 * time.Minute     // for which browsers keep the response to a preflight request
	hsts         = 180 * 24 * time.Hour // max-age of Strict-Transport-Security
)

// FixZone sets the configured time zone of the site and of the other backends.
func FixZone(name string, o *proxy.Options) {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic("BUG: the zone was validated: " + err.Error())
	}
	o.Freshness.Zone = func(string) *time.Location { return zone }
	o.SiteZone = func(context.Context, string) (*time.Location, error) { return zone, nil }
}

// learnZones sets the time zones of the site and of the other backends to the zone of each REST root, which the result
// fetches at the first need.
func learnZones(o *proxy.Options) map[string]*probe.Zone {
	learned := map[string]*probe.Zone{}
	learn := func(root string, upstreamOptions upstream.Options) {
		if learned[root] == nil {
			learned[root] = probe.LearnZone(probe.ZoneOptions{Root: root, Upstream: upstreamOptions, Log: o.Log})
		}
	}
	for _, l := range o.Site {
		learn(l.Upstream, o.Upstream)
	}
	withoutAccess := o.Upstream
	withoutAccess.Access = upstream.AccessOptions{} // for the legacy alone
	for _, b := range o.Backends {
		for _, root := range b.Upstreams {
			learn(root, withoutAccess)
		}
	}
	o.Freshness.Zone = func(language string) *time.Location {
		i := slices.IndexFunc(o.Site, func(l i18n.Language) bool { return l.Code == language })
		return learned[o.Site[i].Upstream].Location()
	}
	o.SiteZone = func(ctx context.Context, root string) (*time.Location, error) { return learned[root].Await(ctx) }
	return learned
}

// Settings that no owner has a reason to change are the same at every site.
const (
	maxQueue      = 64               // calls that wait for a slot
	retries       = 2                // of a failed read, while a site restarts
	openAfter     = 10               // failures in a row: a site that answers some calls serves readers better than no site
	maxRetryAfter = 30 * time.Second // of a 429: a longer one would keep all readers from the site after one burst
)

// backendOptions turns a valid backend into options.
func backendOptions(b config.Backend) proxy.BackendOptions {
	return proxy.BackendOptions{
		Name: b.Name,
		Dialect: mapping.API{
			Dialect: config.DialectOf(b.Dialect), LanguageParam: b.LanguageParam, Languages: b.LanguageNames(), IDs: b.ItemIDs(),
		},
		Upstreams:   b.Upstreams,
		SiteAliases: b.SiteAliases,
	}
}
