package main

import (
	"os"
	"testing"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
)

const (
	exampleFile = "../../config.example.yaml"
	minimalFile = "internal/config/testdata/minimal.yaml"
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

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
