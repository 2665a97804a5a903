package main

import (
	"cmp"
	"context"
	"flag"
	"net"
	"net/netip"
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cmd/internal/memory"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/secure"
	"github.com/calfacade/calfacade/proxy/socket"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// facadeOptions select the kind of facade.
type facadeOptions struct {
	origin string // URL
	cached bool
	plain  bool   // nothing is compressed
	redis  string // URL; "" for none
	small  bool   // memory stores nothing: Redis serves every hit
	memory int64  // bytes; 0 is the default of calfacade serve
	behind bool   // the client is a trusted proxy
}

// build returns a facade like that of calfacade serve, without request logs, which the
// other servers do not write either. stop closes its cache.
func (o facadeOptions) build() (f *proxy.Facade, stored *cache.Cache, stop func(), err error) {
	options := proxy.Options{
		Site:      i18n.Site{{Code: "en", Root: "/wp-json", Upstream: o.origin + "/wp-json"}},
		PublicURL: publicURL,
		Legacy:    proxy.LegacyOptions{Namespace: legacyNamespace, LanguageParam: "wpml_language", SiteAliases: []string{siteURL}},
		Upstream:  upstream.Options{Retries: 2},
		Freshness: freshness.Options{
			TTL:                  map[string]time.Duration{"events": 12 * time.Hour},
			StaleWhileRevalidate: 5 * time.Minute, StaleIfError: 24 * time.Hour, Negative: 10 * time.Second,
			Zone: func(string) *time.Location { return time.UTC },
		},
	}
	if o.behind {
		// The other servers have no limit of calls to the site.
		options.Upstream.MaxConcurrent, options.Upstream.MaxQueue, options.Upstream.QueueTimeout = 1024, 1024, 10*time.Second
		options.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
	stop = func() {}
	if o.cached {
		memory := cmp.Or(o.memory, attackedMemory)
		options.Targets = memory / 16 // as calfacade serve divides it
		co := cache.Options{Memory: memory - options.Targets, Compress: proxy.Compress}
		if o.plain {
			co.Compress = nil
		}
		if o.small {
			co.MaxEntry = 1
		}
		if o.redis != "" {
			redis, err := redisstore.Open(redisstore.Options{URLs: []string{o.redis}})
			if err != nil {
				return nil, nil, nil, err
			}
			co.Shared = cache.Redis(redis)
		}
		stored = cache.New(co)
		options.Cache = stored
		stop = stored.Close
	}
	return proxy.New(options), stored, stop, nil
}

// serveFacade serves the facade, with the timeouts of calfacade serve.
//
// To profile it: calbench origin, calbench facade -origin URL -profile FILE, wrk, and
// Ctrl-C.
func serveFacade(ctx context.Context, p process) error {
	var o facadeOptions
	var profile string
	var inLane, plainSockets bool
	var certificate *files
	if err := p.flags(func(f *flag.FlagSet) {
		f.StringVar(&o.origin, "origin", "", "")
		f.BoolVar(&o.cached, "cached", true, "")
		f.BoolVar(&o.plain, "plain", false, "")
		f.StringVar(&o.redis, "redis", "", "")
		f.BoolVar(&o.small, "small", false, "")
		f.BoolVar(&o.behind, "behind", false, "")
		f.BoolVar(&inLane, "lane", false, "")
		f.BoolVar(&plainSockets, "plain-sockets", false, "")
		f.StringVar(&profile, "profile", "", "")
		certificate = certificateFlags(f)
	}); err != nil {
		return err
	}
	handler, _, stop, err := o.build()
	if err != nil {
		return err
	}
	defer stop()
	defer runtime.KeepAlive(memory.Ballast())
	defer memory.Limit(func() int64 { return attackedMemory })()
	if profile != "" {
		file, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	server := newServer(handler)
	server.ConnContext = lane.ConnContext
	var layers []func(net.Listener) net.Listener
	if !plainSockets {
		layers = append(layers, socket.Listen)
	}
	if certificate.cert != "" {
		opened, err := secure.Open(certificate.cert, certificate.key, zap.NewNop())
		if err != nil {
			return err
		}
		layers = append(layers, func(l net.Listener) net.Listener { return secure.Listen(l, opened, server) })
	}
	layers = append(layers, lane.Cork)
	if inLane {
		fast := proxy.NewLane(server, func() (*proxy.Facade, func()) { return handler, func() {} })
		layers = append(layers, fast.Listen)
	}
	return serve(ctx, p, server, layers...)
}
