package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/openapi"
)

// What generates clients, as of when this was written. None is a dependency of
// the program.
const (
	goGenerator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
	goRuntime   = "github.com/oapi-codegen/runtime@v1.8.0"
	tsGenerator = "openapi-typescript@7.13.0"
	tsCompiler  = "typescript@5.9.3"
)

// TestGeneratedGoClient: a client that is generated from the documentation reads
// and writes the demo.
func TestGeneratedGoClient(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel() // it waits for the network and for compilers
	dir := generatorDir(t)
	copyFile(t, "testdata/client/main.go.txt", filepath.Join(dir, "main.go"))
	cfg, _ := serveDemo(t)

	inDir(t, dir, "go", "mod", "init", "client.example/client")
	inDir(t, dir, "go", "run", goGenerator, "-generate", "types,client", "-package", "main", "-o", "client.go", "openapi.json")
	inDir(t, dir, "go", "get", goRuntime)
	inDir(t, dir, "go", "mod", "tidy")
	user := sim.Users[0]
	if out := inDir(t, dir, "go", "run", ".", publicBase(cfg, "en"), user.Name, user.Password); !strings.Contains(out, "created Open day") {
		t.Errorf("the client printed %q", out)
	}
}

// TestGeneratedTypes: types that are generated for TypeScript hold a program to
// the documentation.
func TestGeneratedTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel() // likewise
	dir := generatorDir(t)
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not there: ", err)
	}
	copyFile(t, "testdata/client/main.ts", filepath.Join(dir, "main.ts"))
	inDir(t, dir, "npm", "install", "--no-audit", "--no-fund", "--no-save", tsGenerator, tsCompiler)
	// Without the flag a field with a default would have to be sent.
	inDir(t, dir, "npx", "--no-install", "openapi-typescript", "--default-non-nullable=false", "openapi.json", "-o", "api.d.ts")
	inDir(t, dir, "npx", "--no-install", "tsc", "--strict", "--noEmit", "--target", "es2022", "--module", "es2022", "main.ts", "api.d.ts")
}

// generatorDir is a directory with the documentation in it.
func generatorDir(t *testing.T) string {
	if os.Getenv("CI") == "" {
		t.Skip("generators come from the network; set CI=true")
	}
	dir := t.TempDir()
	document := openapi.Document("https://api.example.org/wp-json/"+mapping.Namespace, "en", i18n.Catalog("en"))
	if err := os.WriteFile(filepath.Join(dir, "openapi.json"), document, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	if err := os.WriteFile(to, []byte(readFile(t, from)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// inDir runs a command and returns what it prints to standard output.
func inDir(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = dir
	var out, faults strings.Builder
	command.Stdout, command.Stderr = &out, &faults
	if err := command.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), faults.String())
	}
	return out.String()
}
