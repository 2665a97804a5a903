package main

import (
	"io"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
)

// options turns a valid configuration into a facade's options, without the cache.
func options(c Config, log *zap.Logger) proxy.Options {
	o := proxy.Options{
		PublicURL:      c.PublicURL,
		Upstream:       upstreamOptions(c.Upstream),
		Pages:          c.Rewrite.Site,
		Cookies:        c.Auth.Cookies,
		AdminToken:     c.Admin.Token.show(),
		Docs:           c.Docs.Page,
		MaxRequestBody: int64(c.Limits.MaxRequestBody),
		MaxURL:         int(c.Limits.MaxURL),
		Unknown:        c.UnknownParams == "reject",
		Log:            log,
	}
	for _, l := range c.Languages {
		o.Site = append(o.Site, i18n.Language{
			Code:     l.Code,
			Root:     l.Root,
			Upstream: l.Upstream,
			Select:   l.Select,
		})
	}
	return o
}

// store is the cache of a process, and what has to be closed with it.
type store struct {
	cache *cache.Cache // nil: nothing is kept
	redis *cache.Redis // nil: memory alone
	zone  *proxy.Zone  // nil: configured, or not needed
}

// openStore opens the cache of a valid configuration and hands it to o. It
// connects to nothing: a Redis that is down is no reason not to serve.
func openStore(c Config, o *proxy.Options) (*store, error) {
	s := new(store)
	if !c.Cache.Enabled {
		return s, nil
	}
	if len(c.Cache.Redis) > 0 {
		r, err := cache.OpenRedis(cache.RedisOptions{URLs: c.Cache.Redis.show(), Prefix: c.Cache.Prefix})
		if err != nil {
			return nil, err
		}
		s.redis = r
	}
	o.Freshness = proxy.CacheOptions{
		TTL:                  c.Cache.TTL,
		StaleWhileRevalidate: c.Cache.StaleWhileRevalidate,
		StaleIfError:         c.Cache.StaleIfError,
		Negative:             c.Cache.NegativeTTL,
		ShareLanguages:       c.Cache.ShareLanguages,
		Zone:                 s.openZone(c, o),
	}
	s.cache = cache.New(cache.Options{
		Memory:   int64(c.Cache.Memory),
		MaxEntry: int(c.Cache.MaxEntry),
		Redis:    s.redis,
		Finish:   proxy.Compress,
		Observer: proxy.CacheObserver{Metrics: o.Metrics},
	})
	o.Cache = s.cache
	return s, nil
}

// openZone gives the site's zone: that of the configuration, or what the default
// language's root tells.
func (s *store) openZone(c Config, o *proxy.Options) func() *time.Location {
	if c.Cache.Zone == "" {
		s.zone = proxy.LearnZone(proxy.ZoneOptions{Root: o.Site[0].Upstream, Upstream: o.Upstream, Log: o.Log})
		return s.zone.Location
	}
	zone, err := time.LoadLocation(c.Cache.Zone)
	if err != nil {
		panic("BUG: the zone was validated: " + err.Error())
	}
	return func() *time.Location { return zone }
}

// purger is the cache as the admin interface wants it: nil if there is none, and
// not a nil in an interface.
func (s *store) purger() proxy.Purger {
	if s.cache == nil {
		return nil
	}
	return s.cache
}

// close ends what runs in the background, users before what they use. The
// listeners must be closed by then.
func (s *store) close() error {
	if s.cache != nil {
		s.cache.Close()
	}
	if s.zone != nil {
		s.zone.Close()
	}
	if s.redis != nil {
		return s.redis.Close()
	}
	return nil
}

// newLog makes the log of a valid configuration.
func newLog(c LogConfig, w io.Writer) *zap.Logger {
	level, err := zapcore.ParseLevel(c.Level)
	if err != nil {
		panic("BUG: the level was validated: " + err.Error())
	}
	encoding := zap.NewProductionEncoderConfig()
	encoding.EncodeTime = zapcore.ISO8601TimeEncoder
	encoding.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(encoding)
	if c.Format == "console" {
		encoder = zapcore.NewConsoleEncoder(encoding)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), level))
}
