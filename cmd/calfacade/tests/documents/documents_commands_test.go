package documents_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

// ranElsewhere are commands of documents that other tests run.
var ranElsewhere = func() map[string]string {
	invocations := map[string]string{
		".ci/run":                     "CI",
		"go run ./cmd/calfacade demo": "TestDemo",
		"calfacade serve --config config.yaml --replay recording": "TestRecord",
		"go test ./...":                                       "all tests",
		"go build -o calfacade ./cmd/calfacade":               "build, in most tests of processes",
		strings.Join(processtest.GoGenerate("calendar"), " "): "TestGeneratedGoClient",
	}
	for _, command := range processtest.TypeScript {
		invocations["npx "+strings.Join(command, " ")] = "TestGeneratedTypeScriptClients"
	}
	return invocations
}()

// shellBlock is a block of commands; its info string ends with "not-run" if nothing runs
// it.
var shellBlock = regexp.MustCompile("(?ms)^```(sh|console)( not-run)?\n(.*?)^```$")

// TestDocuments runs the commands of all documents, in their order, before a site and a
// candidate that are alike. Steps of the migration are run by the rehearsal.
func TestDocuments(t *testing.T) {
	binary := processtest.Build(t)
	curl, err := exec.LookPath("curl")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	for name, text := range documents(t) {
		commands := commandsOf(text)
		if name == filepath.Base(filepath.Dir(processtest.MigrationFile))+"/"+filepath.Base(processtest.MigrationFile) {
			for _, step := range processtest.StepsOf(t, text) {
				commands = slices.DeleteFunc(commands, func(line string) bool { return slices.Contains(step.Commands, line) })
			}
		}
		if len(commands) == 0 {
			continue
		}
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			e := newReader(t, binary, filepath.Dir(curl))
			for _, line := range commands {
				e.run(line)
			}
		})
	}
}

// commandsOf are the commands of a document that tests run, with continued lines joined.
func commandsOf(document string) []string {
	var lines []string
	for _, block := range shellBlock.FindAllStringSubmatch(document, -1) {
		if block[2] != "" {
			continue
		}
		text := strings.ReplaceAll(block[3], "\\\n", "")
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if block[1] == "console" {
				command, ok := strings.CutPrefix(line, "$ ")
				if !ok {
					continue // output
				}
				line = command
			}
			if ranElsewhere[line] == "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// reader runs commands in a directory with a configuration, beside an instance that
// serves it.
type reader struct {
	*testing.T
	dir    string
	env    []string
	places *strings.Replacer // addresses of the documents by those of the test
}

func newReader(t *testing.T, binary, curlDir string) *reader {
	t.Helper()
	site := httptest.NewServer(sim.New(sim.Options{}))
	t.Cleanup(site.Close)
	sockets := processtest.NewSockets(t)
	public := sockets.Public
	admin := sockets.Admin
	e := &reader{T: t, dir: t.TempDir(), places: strings.NewReplacer(
		"127.0.0.1:8080", public, "127.0.0.1:9090", admin,
		"https://staging.example.org", site.URL, "https://www.example.org", site.URL, "go run ./cmd/calfacade", "./calfacade")}
	e.env = []string{"HOME=" + e.dir, "PATH=" + e.dir + ":" + curlDir, "CALFACADE_ADMIN_TOKEN=" + processtest.RehearsalToken}
	doc := fmt.Sprintf("listen: %s\nadmin_listen: %s\npublic_url: http://%[1]s\n", public, admin)
	upstreams := ""
	doc += "languages:\n"
	for _, l := range config.Demo("", site.URL).Languages {
		doc += fmt.Sprintf("  - {code: %s, root: %q, upstream: %q}\n", l.Code, l.Root, l.Upstream)
		upstreams += fmt.Sprintf("%s: %q, ", l.Code, l.Upstream)
	}
	doc += "backends: [{name: new, dialect: tribe/events/v1, upstreams: {" + upstreams + "}}]\nstaging: {candidate: new}\n"
	for name, text := range map[string]string{
		"config.yaml":                          doc,
		filepath.Base(processtest.ExampleFile): processtest.ReadFile(t, processtest.ExampleFile),
	} {
		if err := os.WriteFile(filepath.Join(e.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(binary, filepath.Join(e.dir, "calfacade")); err != nil {
		t.Fatal(err)
	}
	serve := e.command("exec calfacade serve --config config.yaml")
	sockets.Pass(serve)
	serving := processtest.StartCommand(t, serve)
	serving.Expect(`"msg":"serving"`)
	return e
}

func (e *reader) command(line string, env ...string) *exec.Cmd {
	cmd := exec.CommandContext(e.Context(), "/bin/sh", "-c", e.places.Replace(line))
	cmd.Dir = e.dir
	cmd.Env = append(slices.Clone(e.env), env...)
	return cmd
}

var (
	serves  = regexp.MustCompile(`\bcalfacade (serve|record)\b`)
	surveys = regexp.MustCompile(`\bcalfacade (diff|warm) `)
	refusal = regexp.MustCompile(`^\{"code":"[a-z_]+","message"`) // by the admin listener
)

// run runs a command, which succeeds. One that serves does so elsewhere, until it is
// stopped.
func (e *reader) run(line string) {
	e.Helper()
	if serves.MatchString(line) {
		p := processtest.StartCommand(e.T, e.command("exec "+line, "CALFACADE_LISTEN=127.0.0.1:0", "CALFACADE_ADMIN_LISTEN=127.0.0.1:0"))
		p.Expect(`"msg":"serving"`)
		if status := p.Stop(); status != processtest.StatusOK {
			e.Errorf("%s: exit status %d", line, status)
		}
		return
	}
	if surveys.MatchString(line) {
		line += " " + strings.Join(processtest.Fast, " ")
	}
	out, err := e.command(line).CombinedOutput()
	if err != nil || len(out) == 0 && !strings.Contains(line, ">") {
		e.Errorf("%s: %v\n%s", line, err, out)
	}
	if strings.Contains(line, "Authorization: Bearer") && refusal.Match(out) {
		e.Errorf("%s: %s", line, out)
	}
}

var yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// TestDocumentConfigurations loads each configuration in a document, over the example. The ones of
// docs/configuration.md are generated.
func TestDocumentConfigurations(t *testing.T) {
	blocks := 0
	for name, text := range documents(t) {
		if name == "docs/configuration.md" {
			continue
		}
		for _, block := range processtest.Captures(yamlBlock, text) {
			blocks++
			config := map[string]any{}
			for _, text := range []string{processtest.ReadFile(t, processtest.ExampleFile), block} {
				if err := yaml.Unmarshal([]byte(text), &config); err != nil {
					t.Fatalf("%s: %v\n%s", name, err, block)
				}
			}
			encoded, err := yaml.Marshal(config)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(file, encoded, 0o600); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr strings.Builder
			if status := processtest.RunCommand(t.Context(), t, []string{"explain", "--config", file, "GET /wp-json/calendar/events/v1/events"}, nil, nil,
				&stdout, &stderr); status != processtest.StatusOK {
				t.Errorf("%s: exit status %d: %s\n%s", name, status, stderr.String(), block)
			}
		}
	}
	if blocks < 4 {
		t.Errorf("only %d configurations found", blocks)
	}
}
