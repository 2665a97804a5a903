package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"go.uber.org/zap"
)

// repository is the directory of the repository, in which tests read files.
var repository = findRepository()

func findRepository() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			panic("BUG: the test does not run in the repository")
		}
		dir = filepath.Dir(dir)
	}
}

var (
	exampleFile = repository + "/config.example.yaml"
	minimalFile = repository + "/cmd/calfacade/internal/config/testdata/minimal.yaml"
)

// patience is the time allowed to a process for a step that takes milliseconds.
const patience = testwait.Limit

var eventually = testwait.Until

// minimalConfig loads minimalFile.
func minimalConfig(t testing.TB) config.Config {
	t.Helper()
	cfg, err := config.Load(minimalFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// newTestService returns the service of a configuration, which a reload reads again. The service is closed at the end of
// the test.
func newTestService(t *testing.T, c *config.Config) *service {
	t.Helper()
	s, err := newService(*c, serviceOptions{
		log:     zap.NewNop(),
		metrics: telemetry.NewMetrics(""),
		load:    func() (config.Config, error) { return *c, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
