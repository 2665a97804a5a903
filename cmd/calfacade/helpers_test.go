package main

import (
	"context"
	"testing"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// newTestService returns the service of a configuration, which a reload reads again. The service is closed at the end of
// the test.
func newTestService(t *testing.T, c *config.Config) *service.Service {
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
