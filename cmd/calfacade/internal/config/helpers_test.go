package config

import (
	"net/netip"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

const (
	exampleFile = "../../../../config.example.yaml"
	minimalFile = "testdata/minimal.yaml"
)

// minimalConfig is the content of minimalFile.
func minimalConfig() Config {
	cfg := Default()
	cfg.PublicURL = "https://api.example.org"
	cfg.Languages = i18n.Languages{
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

// networks compares configurations: their networks, and the ids of backends.
var networks = cmp.Options{cmpopts.EquateComparable(netip.Prefix{}), cmp.AllowUnexported(mapping.IDs{})}
