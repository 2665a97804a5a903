package main

import (
	"os"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/google/go-cmp/cmp"
)

const (
	exampleFile = "../../config.example.yaml"
	minimalFile = "internal/config/testdata/minimal.yaml"
)

// minimalConfig is what minimalFile says.
func minimalConfig() config.Config {
	cfg := config.Default()
	cfg.PublicURL = "https://api.example.org"
	cfg.Languages = []config.Language{
		{Code: "en", Root: "/wp-json", Upstream: "https://legacy.example.org/wp-json", Select: "both"},
	}
	return cfg
}

// checkError wants err to read exactly so; "" is no error.
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// eventually waits until ok, which it asks every few milliseconds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	pause := time.NewTicker(5 * time.Millisecond)
	defer pause.Stop()
	for deadline := time.Now().Add(patience); !ok(); <-pause.C {
		if time.Now().After(deadline) {
			t.Fatalf("not seen: %s", what)
		}
	}
}
