package main

import (
	"github.com/calfacade/calfacade/cmd/calfacade/internal/usage"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestManualPage checks the manual page with mandoc.
func TestManualPage(t *testing.T) {
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	page := usage.Manual(newRoot(process{}))
	lint := exec.CommandContext(t.Context(), mandoc, "-T", "lint", "-W", "warning")
	lint.Stdin = strings.NewReader(page)
	out, err := lint.CombinedOutput()
	problems := 0
	for line := range strings.Lines(string(out)) {
		// Without a date the page is the same from each build.
		if !strings.Contains(line, "missing date") {
			problems++
		}
	}
	if problems > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	show := exec.CommandContext(t.Context(), mandoc, "-T", "ascii")
	show.Stdin = strings.NewReader(page)
	text, err := show.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	if plain := strings.ReplaceAll(string(text), "\b", ""); !strings.Contains(plain, "calfacade purge --config config.yaml --type event --id 12\n") {
		t.Errorf("an example cannot be copied:\n%s", plain)
	}
}
