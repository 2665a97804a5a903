package main

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/logging"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/secure"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

func serveCommand(p process) *cobra.Command {
	var file, replayed string
	c := &cobra.Command{
		Use:     "serve [--config FILE]",
		Short:   "Serve the API in front of a site",
		GroupID: groupServe,
		Long: `Serves until SIGTERM or Ctrl-C, then lets the requests in progress finish. SIGHUP reloads the
configuration; if it is wrong, the previous one stays in use. With --replay no call is made to
the site.

Exit status: 0 on success; 1 if it could not start, cut requests off, or lost purges; 2 if the
arguments are wrong.`,
		Example: `calfacade serve --config config.yaml
calfacade serve --config config.yaml --replay recording
# Environment variables override keys of the file:
CALFACADE_LISTEN=127.0.0.1:8081 calfacade serve --config config.yaml`,
		Args:        exactly(0),
		Annotations: map[string]string{reloads: "yes"},
		RunE: func(c *cobra.Command, _ []string) error {
			return p.serve(c.Context(), file, replaying(replayed))
		},
	}
	configFlag(p, c, &file, "")
	c.Flags().StringVar(&replayed, "replay", "", "`DIR` of a recording to serve from, without the site")
	return c
}

// serve serves a configuration until ctx ends, with a tap in front of the upstream.
func (p process) serve(ctx context.Context, file string, open openTap) error {
	initial := p.content(file)
	cfg, err := p.config(file)
	if err != nil {
		return err
	}
	metrics := telemetry.NewMetrics(buildVersion())
	log, stop := logging.Open(cfg.Log, p.stderr, metrics)
	defer func() { _ = stop() }() // a failure of the log cannot be logged
	t, err := open(cfg, log)
	if err != nil {
		return err
	}
	defer t.close()
	if cfg, err = t.use(cfg); err != nil {
		return err
	}
	spans, err := openTracing(ctx, log)
	if err != nil {
		return err
	}
	defer spans.close()
	sockets, err := openSockets(ctx, cfg)
	if err != nil {
		return err
	}
	defer sockets.close()
	load := func() (config.Config, error) {
		if file == standardInput {
			return config.Config{}, errReadOnce
		}
		cfg, err := p.config(file)
		if err != nil {
			return cfg, err
		}
		return t.use(cfg)
	}
	s, err := newService(cfg, lasting{log: log, metrics: metrics, tracer: spans.tracer, collector: spans.client, wrap: t.wrap}, load)
	if err != nil {
		return err
	}
	t.begin(ctx, s.now.Load().facade)
	go s.reloadOn(ctx, func() content { return p.content(file) }, initial, cfg.WatchInterval)
	return s.serve(ctx, sockets)
}

// errReadOnce is the error of a reload of a file that cannot be read again.
var errReadOnce = errors.New("the configuration was read from standard input, which cannot be read again: restart the process")

// serve serves on the sockets until ctx ends. Then the service drains: /readyz returns 503, and requests are
// served for DrainDelay, so that load balancers notice. After that serve stops accepting connections, waits
// at most ShutdownTimeout for the requests in flight, and closes the service.
func (s *service) serve(ctx context.Context, listeners sockets) (err error) {
	cfg := s.now.Load().config // a reload does not change the settings used below
	var until time.Time        // deadline of the pending purges; zero disables the wait
	defer func() {
		end, cancel := context.WithDeadline(context.Background(), until)
		defer cancel()
		err = errors.Join(err, s.close(end))
	}()
	defer runtime.KeepAlive(ballast())
	group, groupCtx := errgroup.WithContext(ctx)
	limits := edge.ConnectionLimits{All: cfg.Limits.MaxConnections, Client: cfg.Limits.MaxClientConnections, Exempt: s.trusts,
		Refused: &s.metrics.Refused}
	certificate, err := openCertificate(cfg.TLS, s.log)
	if err != nil {
		return err
	}
	s.watchCertificate(certificate)
	server := newServer(s.clients(certificate, limits), cfg, s.log)
	for i, l := range listeners.public {
		listeners.public[i] = secureListener(edge.LimitConnections(l, limits), certificate, server, &s.metrics.Unshaken)
	}
	public := newFront(server, listeners.public)
	public.lane = s.lane(cfg.Lane, server)
	admin := newServer(http.HandlerFunc(s.admin), cfg, s.log)
	for _, l := range listeners.admin {
		group.Go(func() error { return ignoreClosed(admin.Serve(l)) })
		s.log.Info("admin", zap.Stringer("listen", l.Addr()))
	}
	for _, l := range listeners.public {
		group.Go(func() error { return public.serve(l) })
		s.log.Info("serving", zap.Stringer("listen", l.Addr()), zap.String("version", buildVersion()),
			zap.Bool("redis", len(cfg.Cache.Redis) > 0), zap.Bool("tls", certificate != nil),
			zap.String("cache_shape", s.now.Load().facade.CacheShape()))
	}
	for _, warning := range append(cfg.Warnings(), filesWarning(cfg, openFiles())) {
		if warning != "" {
			s.log.Warn("configuration", zap.String("problem", warning))
		}
	}
	notify(s.log, daemon.SdNotifyReady)
	serves, stopped := context.WithCancel(context.WithoutCancel(ctx)) // also while draining
	defer stopped()
	go watchdog(serves, s.log)
	limitMemory(serves, func() int64 { return int64(s.now.Load().config.Cache.Memory) })
	if s.serves != nil {
		s.serves()
	}
	group.Go(func() error {
		<-groupCtx.Done()
		cfg := s.drain()
		notify(s.log, daemon.SdNotifyStopping)
		s.log.Info("draining", zap.Duration("after", cfg.DrainDelay), zap.Duration("at_most", cfg.ShutdownTimeout))
		s.now.Load().store.logPending()
		time.Sleep(cfg.DrainDelay)
		until = time.Now().Add(cfg.ShutdownTimeout)
		return public.shutdown(admin, cfg.ShutdownTimeout)
	})
	return group.Wait()
}

// clients returns the handler of client requests. Without TLS there is no HTTP/2, and a connection has one request
// at a time.
func (s *service) clients(certificate *secure.Certificate, limits edge.ConnectionLimits) http.Handler {
	if certificate == nil {
		return http.HandlerFunc(s.public)
	}
	return edge.LimitStreams(http.HandlerFunc(s.public), limits)
}

// lane returns the lane of a server; nil unless enabled.
func (s *service) lane(enabled bool, server *http.Server) *lane.Lane {
	if !enabled {
		return nil
	}
	return proxy.NewLane(server, s.facade)
}

// Limits of every client and every request: slower or larger requests are cut off.
const (
	headerTimeout = 10 * time.Second // for reading a header
	readTimeout   = 30 * time.Second // for reading a whole request
	maxHeader     = 64 << 10         // bytes of the request line and the header
)

// newServer returns a server with limits for slow clients.
func newServer(h http.Handler, c config.Config, log *zap.Logger) *http.Server {
	faults, err := zap.NewStdLogAt(log, zap.WarnLevel)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      c.WriteTimeout(),
		IdleTimeout:       c.Limits.IdleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          faults,
	}
}
