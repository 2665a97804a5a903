package main

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestChecks runs each check on the module of testdata that has its name. The comment of the archive lists the findings.
func TestChecks(t *testing.T) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			archive, err := txtar.ParseFile(filepath.Join("testdata", strings.ReplaceAll(c.name, " ", "_")+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			files := fstest.MapFS{}
			for _, file := range archive.Files {
				files[file.Name] = &fstest.MapFile{Data: file.Data}
			}
			module, err := readTree(files)
			if err != nil {
				t.Fatal(err)
			}
			check := c.check
			if c.name == "errors" { // the errors of the program change
				check = func(module tree, r *report) {
					compareErrors(module, map[string]bool{"503 calendar_overloaded": true, "500 calendar_internal": true}, r)
				}
			}
			var r report
			check(module, &r)
			var got strings.Builder
			for _, f := range r.findings {
				got.WriteString(f.String() + "\n")
			}
			if diff := cmp.Diff(string(archive.Comment), got.String()); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEmptyModule: checks that no longer find their texts are findings.
func TestEmptyModule(t *testing.T) {
	var out strings.Builder
	if status := run(fstest.MapFS{}, &out); status != 1 {
		t.Errorf("status %d", status)
	}
	for _, c := range checks {
		if want := "the check of " + c.name + " found only 0 texts"; !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
