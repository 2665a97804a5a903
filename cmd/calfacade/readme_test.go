package main

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

//go:generate go test -run ^(TestReadmeEndpoints|TestWatching)$ -update .

// update makes tests write what they check: the README's table of endpoints,
// and the expected output in testdata/script.
var update = flag.Bool("update", false, "write generated text instead of comparing it")

const readmeFile = "../../README.md"

func TestReadmeEndpoints(t *testing.T) {
	checkReadmeTable(t, "endpoints", mapping.EndpointTable(i18n.Voice("en")))
}

// checkReadmeTable compares what stands between the marks of a name with what
// should, or writes it there.
func checkReadmeTable(t *testing.T, name, want string) {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	before, rest, found := strings.Cut(readFile(t, readmeFile), begin)
	got, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no table between %q and %q", readmeFile, begin, end)
	}
	if *update {
		if err := os.WriteFile(readmeFile, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the README's %s differ; run go generate (-want +README):\n%s", name, diff)
	}
}

// TestReadmeDemo holds the README to the calls that the demo prints.
func TestReadmeDemo(t *testing.T) {
	lines := strings.Split(readFile(t, readmeFile), "\n")
	for _, line := range demoLines("http://" + config.Default().Listen) {
		if !slices.Contains(lines, line) {
			t.Errorf("the README lacks the line\n%s", line)
		}
	}
}

// TestReadmeExplain holds the README to what the command that it shows prints.
func TestReadmeExplain(t *testing.T) {
	example := regexp.MustCompile("(?s)\\$ ./calfacade explain --config config.example.yaml '([^']+)'\n(.*?)```").FindStringSubmatch(readFile(t, readmeFile))
	if example == nil {
		t.Fatal("the README has no example of explain")
	}
	var stdout, stderr strings.Builder
	if status := run(t.Context(), []string{"explain", "--config", exampleFile, example[1]}, nil, &stdout, &stderr); status != exitOK {
		t.Fatalf("exit status %d: %s", status, stderr.String())
	}
	if diff := cmp.Diff(stdout.String(), example[2]); diff != "" {
		t.Errorf("(-printed +README):\n%s", diff)
	}
}

func TestReadmeCommands(t *testing.T) {
	readme := readFile(t, readmeFile)
	for _, c := range commands() {
		if !strings.Contains(readme, "`calfacade "+c.name) {
			t.Errorf("the README does not tell what calfacade %s does", c.name)
		}
	}
}

// TestDependencies holds CONTRIBUTING, which says why each module is there, to
// the modules that go.mod requires directly.
func TestDependencies(t *testing.T) {
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`) // others end in "// indirect"
	told := regexp.MustCompile("(?m)^- `([a-z0-9.]+\\.[a-z]+/[^`]+)`: .+$")
	want := captures(direct, readFile(t, "../../go.mod"))
	got := captures(told, readFile(t, "../../CONTRIBUTING.md"))
	if len(want) == 0 {
		t.Fatal("no dependencies found in go.mod")
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dependencies (-go.mod +CONTRIBUTING.md):\n%s", diff)
	}
}

// captures gives the first group of each match.
func captures(re *regexp.Regexp, s string) []string {
	var out []string
	for _, m := range re.FindAllStringSubmatch(s, -1) {
		out = append(out, m[1])
	}
	return out
}
