package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/calfacade/calfacade/proxy"
)

func serve(ctx context.Context, p process) error {
	var file string
	if _, err := p.flags("serve", 0, func(f *flag.FlagSet) {
		f.StringVar(&file, "config", "", "`FILE` of the configuration")
	}); err != nil {
		return err
	}
	config, err := p.config(file)
	if err != nil {
		return err
	}
	log := newLog(config.Log, p.stderr)
	l, err := listen(ctx, config.Listen)
	if err != nil {
		return err
	}
	return serveOn(ctx, l, config, log)
}

// listen opens a listener; port 0 is any free one.
func listen(ctx context.Context, address string) (net.Listener, error) {
	return new(net.ListenConfig).Listen(ctx, "tcp", address)
}

// serveOn serves config on l, and its admin listener, until ctx ends; then it
// drains for at most config.ShutdownTimeout.
func serveOn(ctx context.Context, l net.Listener, config Config, log *zap.Logger) (err error) {
	o := options(config, log)
	o.Metrics = proxy.NewMetrics(buildVersion())
	kept, err := openStore(config, &o)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	admin := newAdmin(config, o, kept)
	group, groupCtx := errgroup.WithContext(ctx)
	facade := proxy.New(o)
	defer facade.Close()
	o.Metrics.Watch(proxy.Sources{Cache: kept.cache, Redis: kept.redis, Upstreams: facade.Upstreams})
	servers := []*http.Server{newServer(facade, config, log)}
	listeners := []net.Listener{l}
	if config.AdminListen != "" {
		al, err := listen(ctx, config.AdminListen)
		if err != nil {
			return errors.Join(err, l.Close())
		}
		servers = append(servers, newServer(admin, config, log))
		listeners = append(listeners, al)
		log.Info("admin", zap.Stringer("listen", al.Addr()))
	}
	log.Info("serving", zap.Stringer("listen", l.Addr()), zap.String("version", buildVersion()),
		zap.Bool("cache", kept.cache != nil), zap.Bool("redis", kept.redis != nil))
	for i, s := range servers {
		group.Go(func() error { return ignoreClosed(s.Serve(proxy.Cork(listeners[i]))) })
	}
	group.Go(func() error {
		<-groupCtx.Done()
		admin.Drain()
		log.Info("draining", zap.Duration("at_most", config.ShutdownTimeout))
		return shutdown(servers, config.ShutdownTimeout)
	})
	return group.Wait()
}

func newAdmin(config Config, o proxy.Options, kept *store) *proxy.Admin {
	return proxy.NewAdmin(proxy.AdminOptions{
		Token:          config.Admin.Token.show(),
		Cache:          kept.purger(),
		Site:           o.Site,
		ShareLanguages: config.Cache.ShareLanguages,
		Metrics:        o.Metrics,
		Log:            o.Log,
	})
}

// shutdown lets requests under way end, those of the admin listener last, so
// that an orchestrator sees the drain.
func shutdown(servers []*http.Server, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	var problems []error
	for _, s := range servers {
		if err := s.Shutdown(ctx); err != nil {
			problems = append(problems, fmt.Errorf("requests cut off after %s: %w", grace, err), s.Close())
		}
	}
	return errors.Join(problems...)
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// newServer bounds how long a client may take, so that slow ones do not pile up.
func newServer(h http.Handler, config Config, log *zap.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      2*(config.Upstream.Timeout+config.Upstream.QueueTimeout) + 30*time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          zap.NewStdLog(log),
		ConnContext:       proxy.ConnContext,
	}
}
