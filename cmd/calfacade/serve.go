package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"net/http"
	"runtime"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/calfacade/calfacade/proxy"
)

func serve(ctx context.Context, p process) error {
	var file, replayed string
	if _, err := p.flags("serve", 0, func(f *flag.FlagSet) {
		f.StringVar(&file, "config", "", "`FILE` of the configuration")
		f.StringVar(&replayed, "replay", "", "`DIR` of a recording to answer from, without the site")
	}); err != nil {
		return err
	}
	return p.serve(ctx, file, replaying(replayed))
}

// serve serves a configuration until ctx ends, with a tap before the upstream.
func (p process) serve(ctx context.Context, file string, open openTap) error {
	seen := contentOf(file)
	config, err := p.config(file)
	if err != nil {
		return err
	}
	log, stop := openLog(config.Log, p.stderr)
	defer func() { _ = stop() }() // nowhere is left to tell that the log cannot be written
	t, err := open(config, log)
	if err != nil {
		return err
	}
	defer t.end()
	if config, err = t.of(config); err != nil {
		return err
	}
	spans, err := openTracing(ctx, config.Tracing, p.env, log)
	if err != nil {
		return err
	}
	defer spans.close()
	where, err := openSockets(ctx, config)
	if err != nil {
		return err
	}
	load := func() (Config, error) {
		config, err := p.config(file)
		if err != nil {
			return config, err
		}
		return t.of(config)
	}
	s, err := newService(config, lasting{log: log, metrics: proxy.NewMetrics(buildVersion()), tracer: spans.tracer, wrap: t.wrap}, load)
	if err != nil {
		return errors.Join(err, where.close())
	}
	if t.begin != nil {
		t.begin(ctx, s.now.Load().facade)
	}
	go s.reloadOn(ctx, file, seen, config.WatchInterval)
	return s.serve(ctx, where, config)
}

// serve serves on the sockets until ctx ends. Then it drains: it says that it is
// not ready, goes on for DrainDelay so that this is seen, accepts no more, lets
// requests under way end for at most ShutdownTimeout, and closes what they used.
func (s *service) serve(ctx context.Context, where sockets, config Config) (err error) {
	end, cancel := context.WithCancel(context.Background()) // of all that is waited for
	defer func() {
		err = errors.Join(err, s.close(end))
		cancel()
	}()
	defer runtime.KeepAlive(proxy.Ballast())
	group, groupCtx := errgroup.WithContext(ctx)
	server := newServer(http.HandlerFunc(s.public), config, s.log)
	if err := secure(server, config.TLS, s.log); err != nil {
		return errors.Join(err, where.close())
	}
	for i, l := range where.public {
		where.public[i] = proxy.LimitConnections(l, proxy.ConnectionLimits{
			All: config.Limits.MaxConnections, Client: config.Limits.MaxClientConnections, Exempt: s.trusts, Metrics: s.metrics,
		})
	}
	public := newFront(server, where.public)
	public.lane = s.lane(config, server)
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
		time.AfterFunc(config.ShutdownTimeout, cancel)
		return public.shutdown(admin, config.ShutdownTimeout)
	})
	return group.Wait()
}

// lane is nil if there is to be none.
func (s *service) lane(config Config, server *http.Server) *proxy.Lane {
	if !config.Lane {
		return nil
	}
	return proxy.NewLane(proxy.LaneOptions{Server: server, Facade: s.facade})
}

func newAdmin(g *generation, status *proxy.Status) *proxy.Admin {
	return proxy.NewAdmin(proxy.AdminOptions{
		Token:    g.config.Admin.Token.show(),
		Secrets:  g.options.Secrets,
		Hosts:    g.config.Admin.Hosts,
		Trusted:  g.options.Edge.Trusted,
		Cache:    g.store.purger(),
		Site:     g.options.Site,
		Staging:  g.options.Staging.Matrix,
		Findings: g.options.Staging.Shadow.Findings,
		Pprof:    g.config.Admin.Pprof,
		Metrics:  g.options.Metrics,
		Tracer:   g.options.Tracer,
		Log:      g.options.Log,
		Status:   status,
		Switch:   g.facade,
		Config:   inForce(g.config),

		Forwarded: g.options.Edge.Forwarded,
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
