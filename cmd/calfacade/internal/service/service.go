package service

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/idempotency"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/secure"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Options are the options of a service.
type Options struct {
	Log     *zap.Logger
	Metrics *telemetry.Metrics
	Tracing Tracing                                   // the zero value records no spans
	Version string                                    // of the program
	Wrap    func(http.RoundTripper) http.RoundTripper // see [upstream.Options]; nil wraps nothing
	Load    func() (config.Config, error)             // reads the configuration again; nil disables reloading
	Serves  func()                                    // called when the listeners accept connections; nil disables the call
}

// Service serves with the current generation, and replaces that generation on reload.
type Service struct {
	lasting
	options Options

	now      atomic.Pointer[generation]
	draining atomic.Bool

	certificate *secure.Certificate // nil without TLS; guarded by mu

	mu       sync.Mutex // allows one reload at a time, and no reload after close
	closed   bool
	retiring sync.WaitGroup // retired generations, and other work that runs until ending
	ending   chan struct{}  // closed when no request is served any more
}

// New returns the service of a valid configuration. The caller calls Serve or Close.
func New(c config.Config, o Options) (*Service, error) {
	s := &Service{options: o, ending: make(chan struct{})}
	s.status = admin.NewPageState(admin.PageStateOptions{Metrics: o.Metrics, Name: instanceName(c)})
	s.log = s.status.Log(o.Log)
	s.metrics = o.Metrics
	s.tracer = o.Tracing.tracer
	s.collector = o.Tracing.client
	s.wrap = o.Wrap
	s.hosts = new(upstream.Hosts)
	s.secrets = edge.NewSecrets(s.log, time.Now)
	s.keys = idempotency.NewMemory()
	s.onward = onward.New(s.log)
	s.pending = new(cache.Pending)
	s.migration = newMigration(instanceName(c), s.log)
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
func (s *Service) begin(g *generation) {
	g.follow()
	s.onward.Configure(g.onwardPlan())
	s.now.Store(g)
	s.metrics.Watch(g.watched())
}

// acquire returns the current generation, locked for a request: the caller must unlock requests.
func (s *Service) acquire() *generation {
	for {
		// A generation that has just retired has a successor.
		g := s.now.Load()
		if g.requests.TryRLock() {
			return g
		}
	}
}

// Public serves clients.
func (s *Service) Public(w http.ResponseWriter, r *http.Request) {
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

// Current returns the facade of the current configuration, which a reload may close.
func (s *Service) Current() *proxy.Facade { return s.now.Load().facade }

// acquireFacade returns the current facade for the lane. The result is nil while draining, since the lane cannot
// send Connection: close.
func (s *Service) acquireFacade() (f *proxy.Facade, done func()) {
	if s.draining.Load() {
		return nil, nil
	}
	g := s.acquire()
	return g.facade, g.requests.RUnlock
}

// trusts reports whether an address belongs to a trusted proxy.
func (s *Service) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(s.now.Load().options.Edge.Trust.Proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// Admin serves the admin listener.
func (s *Service) Admin(w http.ResponseWriter, r *http.Request) {
	g := s.acquire()
	defer g.requests.RUnlock()
	g.admin.ServeHTTP(w, r)
}

// Drain makes /readyz fail and refuses reloads from now on. The result is the current configuration, which is
// the last one.
func (s *Service) Drain() config.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.draining.Store(true)
	last := s.now.Load()
	last.admin.Drain()
	return last.config
}

// watchCertificate shows the expiry of the certificate in metrics and on the status page, logs a near expiry
// once a day and on each reload, and reads the files again on each reload.
func (s *Service) watchCertificate(c *secure.Certificate) {
	if c == nil {
		return
	}
	s.metrics.WatchCertificate(c.NotAfter)
	s.mu.Lock()
	s.certificate = c
	s.mu.Unlock()
	s.retiring.Go(func() {
		for {
			warnOfCertificate(s.log, c)
			select {
			case <-s.ending:
				return
			case <-time.After(24 * time.Hour):
			}
		}
	})
}

// Close stops all background work. The servers must be closed before. ctx limits the wait for Redis.
func (s *Service) Close(ctx context.Context) error {
	close(s.ending)
	s.onward.Close(ctx)
	s.retiring.Wait()
	last := s.now.Load()
	return errors.Join(last.store.settle(ctx), last.close())
}
