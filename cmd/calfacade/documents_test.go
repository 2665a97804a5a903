package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

//go:generate go test -run ^(TestCommandReference|TestDocumentFiles|TestEndpointTable|TestPackageTable|TestWatching)$ -update .

// update makes tests write the text that they check: generated tables of the
// documents, and the expected output in testdata/script.
var update = flag.Bool("update", false, "write generated text instead of comparing it")

// The documents that tests read.
var (
	readmeFile       = processtest.Repository + "/README.md"
	apiFile          = processtest.Repository + "/docs/api.md"
	architectureFile = processtest.Repository + "/docs/architecture.md"
	metricsFile      = processtest.Repository + "/docs/metrics.md"
	migrationFile    = processtest.Repository + "/docs/migration.md"
	operationsFile   = processtest.Repository + "/docs/operations.md"
)

func TestEndpointTable(t *testing.T) {
	checkGenerated(t, apiFile, "endpoints", endpointTable())
}

// checkGenerated compares the text between the marks of a name with want, or
// with -update writes it there.
func checkGenerated(t *testing.T, file, name, want string) {
	t.Helper()
	begin := "<!-- " + name + " -->\n"
	end := "<!-- /" + name + " -->\n"
	head, tail, ok := strings.Cut(processtest.ReadFile(t, file), begin)
	got, suffix, closed := strings.Cut(tail, end)
	if !ok || !closed {
		t.Fatalf("%s has no text between %q and %q", file, begin, end)
	}
	if *update {
		if err := os.WriteFile(file, []byte(head+begin+want+end+suffix), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s: the generated %s differ; run go generate (-want +got):\n%s", file, name, diff)
	}
}

// TestReadmeDemo checks that the README shows the calls that the demo prints.
func TestReadmeDemo(t *testing.T) {
	lines := strings.Split(processtest.ReadFile(t, readmeFile), "\n")
	for _, line := range demoLines("http://" + config.Default().Listen) {
		if !slices.Contains(lines, line) {
			t.Errorf("the README lacks the line\n%s", line)
		}
	}
}

// TestExplainExample compares the example of explain with the output of the command.
func TestExplainExample(t *testing.T) {
	explained := regexp.MustCompile("(?s)\\$ ./calfacade explain --config config.example.yaml '([^']+)'\n(.*?)```")
	example := explained.FindStringSubmatch(processtest.ReadFile(t, operationsFile))
	if example == nil {
		t.Fatalf("%s has no example of explain", operationsFile)
	}
	var stdout, stderr strings.Builder
	args := []string{"explain", "--config", processtest.ExampleFile, example[1]}
	if status := run(t.Context(), args, nil, nil, &stdout, &stderr); status != exitOK {
		t.Fatalf("exit status %d: %s", status, stderr.String())
	}
	if diff := cmp.Diff(stdout.String(), example[2]); diff != "" {
		t.Errorf("(-printed +document):\n%s", diff)
	}
}

// documents returns all Markdown files of the project, by their path from its root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		names, err := fs.Glob(os.DirFS(processtest.Repository), pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			texts[name] = processtest.ReadFile(t, filepath.Join(processtest.Repository, name))
		}
	}
	if texts["README.md"] == "" || len(texts) < 10 {
		t.Fatalf("only %d documents found", len(texts))
	}
	return texts
}

// captures returns the first group of each match.
func captures(re *regexp.Regexp, s string) []string {
	var out []string
	for _, m := range re.FindAllStringSubmatch(s, -1) {
		out = append(out, m[1])
	}
	return out
}

// endpointTable returns the table of endpoints in Markdown, one row for each path.
func endpointTable() string {
	var b strings.Builder
	b.WriteString("| Path | Methods | |\n|---|---|---|\n")
	for rows := mapping.Table; len(rows) > 0; {
		path := rows[0].Path
		n := 0
		var methods, names []string
		for ; n < len(rows) && rows[n].Path == path; n++ {
			methods = append(methods, rows[n].Methods...)
			names = append(names, i18n.Catalog("en").Text(rows[n].Name(), nil))
		}
		rows = rows[n:]
		fmt.Fprintf(&b, "| `/%s%s` | %s | %s |\n", mapping.Namespace, path, strings.Join(methods, ", "), strings.Join(names, ". "))
	}
	return b.String()
}
