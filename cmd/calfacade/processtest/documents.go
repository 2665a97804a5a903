package processtest

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update makes tests write the text that they check: generated tables of the
// documents, and the expected output in testdata/script.
var Update = flag.Bool("update", false, "write generated text instead of comparing it")

// The documents that tests read.
var (
	ReadmeFile       = Repository + "/README.md"
	APIFile          = Repository + "/docs/api.md"
	ArchitectureFile = Repository + "/docs/architecture.md"
	MetricsFile      = Repository + "/docs/metrics.md"
	MigrationFile    = Repository + "/docs/migration.md"
	OperationsFile   = Repository + "/docs/operations.md"
)

// CheckGenerated compares the text between the marks of a name with want, or
// with -update writes it there.
func CheckGenerated(t *testing.T, file, name, want string) {
	t.Helper()
	begin := "<!-- " + name + " -->\n"
	end := "<!-- /" + name + " -->\n"
	head, tail, ok := strings.Cut(ReadFile(t, file), begin)
	got, suffix, closed := strings.Cut(tail, end)
	if !ok || !closed {
		t.Fatalf("%s has no text between %q and %q", file, begin, end)
	}
	if *Update {
		if err := os.WriteFile(file, []byte(head+begin+want+end+suffix), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s: the generated %s differ; run go generate (-want +got):\n%s", file, name, diff)
	}
}

// Captures returns the first group of each match.
func Captures(re *regexp.Regexp, s string) []string {
	var out []string
	for _, m := range re.FindAllStringSubmatch(s, -1) {
		out = append(out, m[1])
	}
	return out
}

// MigrationStep is one of the document's, with its commands and its lines for the
// configuration.
type MigrationStep struct {
	Commands []string
	Config   string
}

var (
	nextHeading = regexp.MustCompile(`\n##+ `)
	stepStart   = regexp.MustCompile(`(?m)^\*\*\d\. `)
	codeOfStep  = regexp.MustCompile("(?s)```(sh|yaml)\n(.*?)```")
)

// StepsOf returns the steps of the migration in a document.
func StepsOf(t *testing.T, document string) []MigrationStep {
	t.Helper()
	_, chapter, _ := strings.Cut(document, "## Moving to another backend")
	chapter = nextHeading.Split(chapter, 2)[0]
	var steps []MigrationStep
	for _, text := range stepStart.Split(chapter, -1)[1:] {
		var s MigrationStep
		for _, code := range codeOfStep.FindAllStringSubmatch(text, -1) {
			if code[1] == "yaml" {
				s.Config = code[2]
			} else {
				s.Commands = strings.Split(strings.TrimSpace(code[2]), "\n")
			}
		}
		steps = append(steps, s)
	}
	if len(steps) != 8 {
		t.Fatalf("%s has %d steps", MigrationFile, len(steps))
	}
	return steps
}

// RehearsalToken is the token of the document.
const RehearsalToken = "a-secret-of-16-characters-or-more"

// Fast are flags that the document's commands leave out: two stand-ins take more.
var Fast = []string{"--rate", "0"}

// The generator of clients for Go. The one for TypeScript is in testdata/client/package.json. None
// is a dependency of the program.
const (
	goGenerator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
	GoRuntime   = "github.com/oapi-codegen/runtime@v1.8.0"

	NodeMajor   = 20 // the oldest with which the generators work
	NodeRelease = "24.21.0"
)

// GoGenerate generates the client for Go, from openapi.json to client.go.
func GoGenerate(pkg string) []string {
	return []string{"go", "run", goGenerator, "-generate", "types,client", "-package", pkg, "-o", "client.go", "openapi.json"}
}

// TypeScript are the generators for TypeScript by the name of the program that uses their
// client, testdata/client/NAME.ts, with the command that docs/clients.md has.
var TypeScript = map[string][]string{
	"openapi-fetch": {"openapi-typescript", "openapi.json", "-o", "generated/openapi-typescript.d.ts"},
	"hey-api":       {"openapi-ts", "-i", "openapi.json", "-o", "generated/hey-api", "-c", "@hey-api/client-fetch"},
	"orval":         {"orval", "--config", "orval.config.mjs"},
	"kubb":          {"kubb", "generate", "--config", "kubb.config.mjs"},
}
