package service

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/secure"
)

// Serve serves on the sockets until ctx ends. Then the service drains: /readyz returns 503, and requests are
// served for DrainDelay, so that load balancers notice. After that serve stops accepting connections, waits
// at most ShutdownTimeout for the requests in flight, and closes the service.
func (s *Service) Serve(ctx context.Context, listeners Sockets) (err error) {
	cfg := s.now.Load().config // a reload does not change the settings used below
	var until time.Time        // deadline of the pending purges; zero disables the wait
	defer func() {
		end, cancel := context.WithDeadline(context.Background(), until)
		defer cancel()
		err = errors.Join(err, s.Close(end))
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
	for i, l := range listeners.Public {
		listeners.Public[i] = secureListener(edge.LimitConnections(l, limits), certificate, server, &s.metrics.Unshaken)
	}
	public := newFront(server, listeners.Public)
	public.lane = s.lane(cfg.Lane, server)
	admin := newServer(http.HandlerFunc(s.Admin), cfg, s.log)
	for _, l := range listeners.Admin {
		group.Go(func() error { return ignoreClosed(admin.Serve(l)) })
		s.log.Info("admin", zap.Stringer("listen", l.Addr()))
	}
	for _, l := range listeners.Public {
		group.Go(func() error { return public.serve(l) })
		s.log.Info("serving", zap.Stringer("listen", l.Addr()), zap.String("version", s.options.Version),
			zap.Bool("redis", len(cfg.Cache.Redis) > 0), zap.Bool("tls", certificate != nil),
			zap.String("cache_shape", s.Current().CacheShape()))
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
	if s.options.Serves != nil {
		s.options.Serves()
	}
	group.Go(func() error {
		<-groupCtx.Done()
		cfg := s.Drain()
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
func (s *Service) clients(certificate *secure.Certificate, limits edge.ConnectionLimits) http.Handler {
	if certificate == nil {
		return http.HandlerFunc(s.Public)
	}
	return edge.LimitStreams(http.HandlerFunc(s.Public), limits)
}

// lane returns the lane of a server; nil unless enabled.
func (s *Service) lane(enabled bool, server *http.Server) *lane.Lane {
	if !enabled {
		return nil
	}
	return proxy.NewLane(server, s.acquireFacade)
}
