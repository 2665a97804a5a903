package contract_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestScenariosCoverTheTable fails if a method of a row has no scenario with a success, or
// none with a failure.
func TestScenariosCoverTheTable(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	statuses := map[string][]int{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		addStatuses(t, statuses, txtar.Parse(data))
	}
	for _, e := range mapping.Table {
		for _, method := range e.Methods {
			pair := method + " " + e.Path
			covered := statuses[pair]
			if !slices.ContainsFunc(covered, func(s int) bool { return s >= 200 && s < 300 }) {
				t.Errorf("%s: no scenario has it succeed", pair)
			}
			if !slices.ContainsFunc(covered, func(s int) bool { return s >= 400 }) {
				t.Errorf("%s: no scenario has it fail", pair)
			}
		}
	}
}

// addStatuses adds, by method and path of the table, the statuses that a
// scenario's requests are answered with.
func addStatuses(t *testing.T, statuses map[string][]int, archive *txtar.Archive) {
	t.Helper()
	var pair string
	for _, section := range archive.Files {
		switch line, _, _ := strings.Cut(string(section.Data), "\n"); section.Name {
		case "request":
			method, target, _ := strings.Cut(line, " ")
			pair = method + " " + tablePath(target)
		case "answer":
			status, err := strconv.Atoi(line)
			if err != nil {
				t.Fatal(err)
			}
			statuses[pair] = append(statuses[pair], status)
		}
	}
}

var slugSegment = regexp.MustCompile(`/by-slug/[^/]+$`)

// tablePath returns the path of the table for a request target, or one that the table does
// not have.
func tablePath(target string) string {
	path, _, _ := strings.Cut(target, "?")
	_, path, ok := strings.Cut(path, "/"+mapping.Namespace)
	if !ok {
		return "none"
	}
	path = slugSegment.ReplaceAllString(path, "/by-slug/{slug}")
	if i := strings.LastIndexByte(path, '/') + 1; i > 0 && i < len(path) && strings.Trim(path[i:], "0123456789") == "" {
		path = path[:i] + "{id}"
	}
	return path
}
