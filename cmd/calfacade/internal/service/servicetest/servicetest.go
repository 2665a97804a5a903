// Package servicetest serves configurations in the process of a test.
package servicetest

import (
	"context"
	"net/http/httptest"
	"testing"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// New returns the service of a configuration, which a reload reads again. The service is closed at the end of
// the test.
func New(t testing.TB, c *config.Config) *service.Service {
	t.Helper()
	s, err := service.New(*c, service.Options{
		Log:     zap.NewNop(),
		Metrics: telemetry.NewMetrics(""),
		Load:    func() (config.Config, error) { return *c, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Demo serves the demo until the test ends and returns its
// configuration and the URL of its site.
func Demo(t testing.TB) (cfg config.Config, legacy string) { return DemoOf(t, sim.Options{}) }

// DemoOf serves the demo before another site.
func DemoOf(t testing.TB, site sim.Options) (cfg config.Config, legacy string) {
	legacy = processtest.Serve(t, sim.New(site))
	server := httptest.NewUnstartedServer(nil)
	cfg = config.Demo("http://"+server.Listener.Addr().String(), legacy)
	server.Config.Handler = proxy.New(service.FacadeOptions(cfg, zap.NewNop()))
	server.Start()
	t.Cleanup(server.Close)
	return cfg, legacy
}
