package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
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
	seen := contentOf(file)
	config, err := p.config(file)
	if err != nil {
		return err
	}
	log, stop := openLog(config.Log, p.stderr)
	defer func() { _ = stop() }() // nowhere is left to tell that the log cannot be written
	spans, err := openTracing(ctx, config.Tracing, p.env, log)
	if err != nil {
		return err
	}
	defer spans.close()
	where, err := openSockets(ctx, config)
	if err != nil {
		return err
	}
	s, err := newService(config, lasting{log: log, metrics: proxy.NewMetrics(buildVersion()), tracer: spans.tracer}, func() (Config, error) { return p.config(file) })
	if err != nil {
		return errors.Join(err, where.close())
	}
	go s.reloadOn(ctx, file, seen, config.WatchInterval)
	return s.serve(ctx, where, config)
}

// serve serves on the sockets until ctx ends. Then it drains: it says that it is
// not ready, goes on for DrainDelay so that this is seen, accepts no more, lets
// requests under way end for at most ShutdownTimeout, and closes what they used.
func (s *service) serve(ctx context.Context, where sockets, config Config) (err error) {
	defer func() { err = errors.Join(err, s.close()) }()
	group, groupCtx := errgroup.WithContext(ctx)
	server := newServer(http.HandlerFunc(s.public), config, s.log)
	if err := secure(server, config.TLS, s.log); err != nil {
		return errors.Join(err, where.close())
	}
	for i, l := range where.public {
		where.public[i] = proxy.LimitConnections(l, config.Limits.MaxConnections)
	}
	public := newFront(server, where.public)
	admin := newServer(http.HandlerFunc(s.admin), config, s.log)
	for _, l := range where.admin {
		group.Go(func() error { return ignoreClosed(admin.Serve(l)) })
		s.log.Info("admin", zap.Stringer("listen", l.Addr()))
	}
	for _, l := range where.public {
		group.Go(func() error { return public.serve(l) })
		s.log.Info("serving", zap.Stringer("listen", l.Addr()), zap.String("version", buildVersion()),
			zap.Bool("cache", config.Cache.Enabled), zap.Bool("redis", config.Cache.Enabled && len(config.Cache.Redis) > 0), zap.Bool("tls", server.TLSConfig != nil))
	}
	for _, warning := range config.warnings() {
		s.log.Warn("configuration", zap.String("problem", warning))
	}
	notifyReady(s.log)
	group.Go(func() error {
		<-groupCtx.Done()
		s.drain()
		notifyStopping(s.log)
		s.log.Info("draining", zap.Duration("after", config.DrainDelay), zap.Duration("at_most", config.ShutdownTimeout))
		time.Sleep(config.DrainDelay)
		return public.shutdown(admin, config.ShutdownTimeout)
	})
	return group.Wait()
}

func newAdmin(g *generation, status *proxy.Status) *proxy.Admin {
	return proxy.NewAdmin(proxy.AdminOptions{
		Token:          g.config.Admin.Token.show(),
		Cache:          g.store.purger(),
		Site:           g.options.Site,
		ShareLanguages: g.config.Cache.ShareLanguages,
		Pprof:          g.config.Admin.Pprof,
		Metrics:        g.options.Metrics,
		Tracer:         g.options.Tracer,
		Log:            g.options.Log,
		Status:         status,
		Switch:         g.facade,
		Config:         inForce(g.config),
	})
}

// newServer bounds how long a client may take, so that slow ones do not pile up.
func newServer(h http.Handler, config Config, log *zap.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: config.Limits.HeaderTimeout,
		ReadTimeout:       config.Limits.ReadTimeout,
		WriteTimeout:      cmp.Or(config.Limits.WriteTimeout, 2*(config.Upstream.Timeout+config.Upstream.QueueTimeout)+30*time.Second),
		IdleTimeout:       config.Limits.IdleTimeout,
		MaxHeaderBytes:    int(config.Limits.MaxHeader),
		ErrorLog:          zap.NewStdLog(log),
	}
}
