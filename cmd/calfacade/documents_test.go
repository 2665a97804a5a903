package main

import (
	"fmt"
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

//go:generate go test -run ^(TestCommandReference|TestEndpointTable|TestPackageTable)$ -update .

func TestEndpointTable(t *testing.T) {
	processtest.CheckGenerated(t, processtest.APIFile, "endpoints", endpointTable())
}

// TestReadmeDemo checks that the README shows the calls that the demo prints.
func TestReadmeDemo(t *testing.T) {
	lines := strings.Split(processtest.ReadFile(t, processtest.ReadmeFile), "\n")
	for _, line := range demoLines("http://" + config.Default().Listen) {
		if !slices.Contains(lines, line) {
			t.Errorf("the README lacks the line\n%s", line)
		}
	}
}

// TestExplainExample compares the example of explain with the output of the command.
func TestExplainExample(t *testing.T) {
	explained := regexp.MustCompile("(?s)\\$ ./calfacade explain --config config.example.yaml '([^']+)'\n(.*?)```")
	example := explained.FindStringSubmatch(processtest.ReadFile(t, processtest.OperationsFile))
	if example == nil {
		t.Fatalf("%s has no example of explain", processtest.OperationsFile)
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
