package clients_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/service/servicetest"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/openapi"
)

// TestGeneratedGoClient: a client that is generated from the document for clients pages,
// creates, updates, deletes and reads errors, before the demo.
func TestGeneratedGoClient(t *testing.T) {
	dir := generatorDir(t)
	env := demoEnv(t)
	inDir(t, dir, nil, "go", "mod", "init", "client.example/client")
	inDir(t, dir, nil, processtest.GoGenerate("main")...)
	// The client of the complete document has 167,556.
	if lines := strings.Count(processtest.ReadFile(t, filepath.Join(dir, "client.go")), "\n"); lines > 30_000 {
		t.Errorf("the client has %d lines", lines)
	}
	inDir(t, dir, nil, "go", "get", processtest.GoRuntime)
	inDir(t, dir, nil, "go", "mod", "tidy")
	if out := inDir(t, dir, env, "go", "run", "."); out != "done\n" {
		t.Errorf("the client printed %q", out)
	}
}

// TestGeneratedTypeScriptClients: so do those for TypeScript, of four generators.
func TestGeneratedTypeScriptClients(t *testing.T) {
	dir := generatorDir(t)
	if _, err := exec.LookPath("npm"); err != nil {
		t.Fatal(err)
	}
	inDir(t, dir, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	env := nodeEnv(t, dir)
	t.Run("generate", func(t *testing.T) {
		for name, command := range processtest.TypeScript {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				inDir(t, dir, env, command...)
			})
		}
	})
	inDir(t, dir, env, "tsc", "-p", ".")
	for name := range processtest.TypeScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out := inDir(t, dir, append(demoEnv(t), env...), "node", "out/"+name+".js"); out != "done\n" {
				t.Errorf("the client printed %q", out)
			}
		})
	}
	t.Run("next-week", func(t *testing.T) {
		t.Parallel()
		out := inDir(t, dir, append(demoEnv(t), env...), "node", "out/next-week.js")
		if !regexp.MustCompile(`^(\d{4}-\d\d-\d\d \d\d:\d\d \S.*\n)+$`).MatchString(out) || strings.Contains(out, "&#") {
			t.Errorf("the example printed %q", out)
		}
	})
}

// generatorDir is a directory with testdata/client and the document for clients in it.
func generatorDir(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	if os.Getenv("CI") == "" {
		t.Skip("generators come from the network; set CI=true")
	}
	t.Parallel() // it waits for the network and for compilers
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/client")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "main.go.txt"), filepath.Join(dir, "main.go")); err != nil {
		t.Fatal(err)
	}
	document := openapi.ClientDocument("https://api.example.org/wp-json/"+mapping.Namespace, "en", i18n.Catalog("en"), true)
	if err := os.WriteFile(filepath.Join(dir, "openapi.json"), document, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// demoEnv serves a demo, and returns the environment of programs that use it.
func demoEnv(t *testing.T) []string {
	t.Helper()
	cfg, _ := servicetest.Demo(t)
	user := sim.Users[0]
	return []string{"CALENDAR_URL=" + cfg.PublicURL + cfg.Languages[0].Root + "/" + mapping.Namespace, "CALENDAR_USER=" + user.Name, "CALENDAR_PASSWORD=" + user.Password}
}

// nodeEnv is the environment of programs in dir. If the machine has an old Node.js, npm
// fetches another one.
func nodeEnv(t *testing.T, dir string) []string {
	t.Helper()
	modules := filepath.Join(dir, "node_modules")
	path := []string{filepath.Join(modules, ".bin"), os.Getenv("PATH")}
	var major int
	if _, err := fmt.Sscanf(inDir(t, dir, nil, "node", "--version"), "v%d", &major); err != nil {
		t.Fatal(err)
	}
	if major < processtest.NodeMajor {
		name := "node-" + runtime.GOOS + "-" + strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
		inDir(t, dir, nil, "npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", name+"@"+processtest.NodeRelease)
		path = slices.Insert(path, 0, filepath.Join(modules, name, "bin"))
	}
	return []string{"PATH=" + strings.Join(path, string(filepath.ListSeparator))}
}

// inDir runs a command with an additional environment, and returns its standard
// output.
func inDir(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	name := args[0]
	for _, line := range env { // exec looks for it in the PATH of this process
		if path, ok := strings.CutPrefix(line, "PATH="); ok {
			name = findFile(name, filepath.SplitList(path))
		}
	}
	command := exec.CommandContext(t.Context(), name, args[1:]...)
	command.Dir = dir
	command.Env = append(os.Environ(), env...)
	var out, faults strings.Builder
	command.Stdout = &out
	command.Stderr = &faults
	if err := command.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out.String(), faults.String())
	}
	return out.String()
}

// findFile returns the first file of a name in the directories, or the name.
func findFile(name string, dirs []string) string {
	i := slices.IndexFunc(dirs, func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return !errors.Is(err, fs.ErrNotExist)
	})
	if i < 0 {
		return name
	}
	return filepath.Join(dirs[i], name)
}
