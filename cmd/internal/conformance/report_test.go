package main

import (
	"os"
	"path"
	"strings"
	"testing"
)

// small is a suite of one section.
func small(t *testing.T) (*suite, results) {
	t.Helper()
	s := &suite{revision: "abc of 2026-07-20", sections: []section{{ID: "a", Name: "Section A", Tests: []test{
		{ID: "first", Kind: check},
		{ID: "second", Kind: required, DependsOn: []string{"first"}},
		{ID: "third", Kind: optimal, DependsOn: []string{"second"}},
		{ID: "fourth", Kind: required},
		{ID: "browsers", Kind: required, BrowserOnly: true},
	}}}}
	got, err := readResults([]byte(`{"first": ["Assertion", "no"], "second": true, "third": ["Setup", "odd"], "fourth": ["Assertion", "bad"]}`))
	if err != nil {
		t.Fatal(err)
	}
	return s, got
}

func TestJudge(t *testing.T) {
	s, got := small(t)
	for id, want := range map[string][2]outcome{
		"first": {failed, failed}, "second": {dependency, passed}, "third": {dependency, setup}, "fourth": {failed, failed}, "browsers": {untested, untested},
	} {
		for i, without := range [][]string{nil, {"first"}} {
			if o := s.judge(got, id, without); o != want[i] {
				t.Errorf("%s without %v: %s, want %s", id, without, o, want[i])
			}
		}
	}
	for _, broken := range []string{`[]`, `{"a": false}`, `{"a": ["b", 1]}`} {
		if _, err := readResults([]byte(broken)); err == nil {
			t.Errorf("%s: no error", broken)
		}
	}
}

func TestReport(t *testing.T) {
	defer func(all []*deviation) { deviations = all }(deviations)
	deviations = []*deviation{{tests: []string{"four*"}, run: "x", reason: "It is so."}}
	s, got := small(t)
	made := []column{{name: "calfacade", key: "x", results: got, without: []string{"first"}}}
	others := []column{{name: "Other", version: "1.2", day: "2025-12-29", results: got}}
	text := string(report(s, made, others))
	for _, line := range []string{
		"| Section | calfacade | Other |", "| Section A | 1/2 (1) | 0/2 |", "| **All** | **0/1** | **0/1** |",
		"Other 1.2", "2025-12-29", "| `four*` | x | 1 | It is so. |",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	var open strings.Builder
	if n := explain(&open, s, made); n != 1 || !strings.Contains(open.String(), "third") {
		t.Errorf("%d open deviations:\n%s", n, &open)
	}
	deviations[0].tests = append(deviations[0].tests, "second", "third")
	open.Reset()
	if n := explain(&open, s, made); n != 1 || !strings.Contains(open.String(), "second\tdoes not deviate") {
		t.Errorf("%d open deviations:\n%s", n, &open)
	}
}

// TestDocument: the document has the reasons that the command would write.
func TestDocument(t *testing.T) {
	document, err := os.ReadFile("../../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range deviations {
		if !strings.Contains(string(document), d.reason) {
			t.Errorf("docs/conformance.md does not have: %s", d.reason)
		}
		for _, pattern := range d.tests {
			if _, err := path.Match(pattern, ""); err != nil {
				t.Errorf("%s: %v", pattern, err)
			}
		}
	}
}
