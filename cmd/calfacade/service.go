package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/secure"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// service serves with the current generation, and replaces that generation on reload.
type service struct {
	lasting
	load   func() (config.Config, error) // reads the configuration again; nil disables reloading
	serves func()                        // called when the listeners accept connections; nil disables the call

	now      atomic.Pointer[generation]
	draining atomic.Bool

	certificate *secure.Certificate // nil without TLS; guarded by mu

	mu       sync.Mutex // allows one reload at a time, and no reload after close
	closed   bool
	retiring sync.WaitGroup // retired generations, and other work that runs until ending
	ending   chan struct{}  // closed when no request is served any more
}

func newService(c config.Config, shared lasting, load func() (config.Config, error)) (*service, error) {
	s := &service{lasting: shared, load: load, ending: make(chan struct{})}
	s.status = admin.NewPageState(admin.PageStateOptions{Metrics: shared.metrics, Name: instanceName(c)})
	shared.log = s.status.Log(shared.log)
	s.log = shared.log
	s.hosts = new(upstream.Hosts)
	s.secrets = edge.NewSecrets(shared.log, time.Now)
	s.onward = onward.New(shared.log)
	s.pending = new(cache.Pending)
	s.migration = newMigration(instanceName(c), shared.log)
	first, err := newGeneration(c, s.lasting, nil)
	if err != nil {
		return nil, err
	}
	s.begin(first)
	s.metrics.Reloaded.Store(true)
	s.retiring.Go(func() { s.status.Run(s.ending) })
	s.retiring.Go(func() { s.migration.run(s.ending) })
	return s, nil
}

// begin makes g the current generation.
func (s *service) begin(g *generation) {
	s.migration.follow(g)
	s.onward.Configure(onwardPlan(g))
	s.now.Store(g)
	s.metrics.Watch(g.watched())
}

// acquire returns the current generation, locked for a request: the caller must unlock requests.
func (s *service) acquire() *generation {
	for {
		// A generation that has just retired has a successor.
		if g := s.now.Load(); g.requests.TryRLock() {
			return g
		}
	}
}

// public serves clients.
func (s *service) public(w http.ResponseWriter, r *http.Request) {
	g := s.acquire()
	defer g.requests.RUnlock()
	if s.draining.Load() {
		w.Header()["Connection"] = []string{"close"} // the client closes the connection, so that no request is lost
	}
	if g.config.HealthPaths && g.admin.ServeHealth(w, r) {
		return
	}
	g.facade.ServeHTTP(w, r)
}

// facade returns the current facade for the lane. The result is nil while draining, since the lane cannot
// send Connection: close.
func (s *service) facade() (f *proxy.Facade, done func()) {
	if s.draining.Load() {
		return nil, nil
	}
	g := s.acquire()
	return g.facade, g.requests.RUnlock
}

// trusts reports whether an address belongs to a trusted proxy.
func (s *service) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(s.now.Load().options.Edge.Trust.Proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// admin serves the admin listener.
func (s *service) admin(w http.ResponseWriter, r *http.Request) {
	g := s.acquire()
	defer g.requests.RUnlock()
	g.admin.ServeHTTP(w, r)
}

// drain makes /readyz fail and refuses reloads from now on. The result is the current configuration, which is
// the last one.
func (s *service) drain() config.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.draining.Store(true)
	last := s.now.Load()
	last.admin.Drain()
	return last.config
}

// reload replaces the current generation by one of the present configuration. An error changes nothing;
// metrics and status page show the refusal.
func (s *service) reload() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosing
	}
	s.hosts.Renew() // the site may have moved, or another peer
	s.onward.Configure(onwardPlan(s.now.Load()))
	if s.collector != nil {
		s.collector.CloseIdleConnections()
	}
	if s.certificate != nil {
		s.certificate.Renew()
		s.warnOfCertificate(s.certificate)
	}
	err := s.replace()
	s.metrics.Reloaded.Store(err == nil)
	s.status.Reloaded(err)
	return err
}

// replace is reload without the effects on metrics and status page. The caller holds s.mu.
func (s *service) replace() error {
	cfg, err := s.load()
	if err != nil {
		return err
	}
	previous := s.now.Load()
	changed, restart := config.Changed(previous.config, cfg)
	if len(restart) > 0 {
		return fmt.Errorf("changed keys that require a restart: %s", strings.Join(restart, ", "))
	}
	if len(changed) == 0 {
		s.log.Info("configuration unchanged")
		return nil
	}
	next, err := newGeneration(cfg, s.lasting, previous)
	if err != nil {
		return err
	}
	s.begin(next)
	s.log.Info("configuration reloaded", zap.Strings("changed", changed))
	s.retiring.Go(func() {
		if err := previous.retire(s.ending); err != nil {
			s.log.Warn("closing the resources of an earlier configuration", zap.Error(err))
		}
	})
	return nil
}

// close stops all background work. The servers must be closed before. ctx limits the wait for Redis.
func (s *service) close(ctx context.Context) error {
	close(s.ending)
	s.onward.Close(ctx)
	s.retiring.Wait()
	last := s.now.Load()
	return errors.Join(last.store.settle(ctx), last.close())
}
