package processtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
)

// Repository is the directory of the repository, in which tests read files.
var Repository = findRepository()

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

// Configurations of the repository: the example, and the shortest that is valid.
var (
	ExampleFile = Repository + "/config.example.yaml"
	minimalFile = Repository + "/cmd/calfacade/internal/config/testdata/minimal.yaml"
)

// Patience is the time allowed to a process for a step that takes milliseconds.
const Patience = testwait.Limit

// Eventually waits until a condition holds, see [testwait.Until].
var Eventually = testwait.Until

// MinimalConfig loads minimalFile.
func MinimalConfig(t testing.TB) config.Config {
	t.Helper()
	cfg, err := config.Load(minimalFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// ReadFile returns the text of a file.
func ReadFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
