package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const clientsFile = "../../docs/clients.md"

var (
	codeBlock = regexp.MustCompile("(?ms)^```(?:go|js|ts)\n(.*?)^```$")
	npmName   = regexp.MustCompile(`(?m)^npm install (.+)$`)
)

// TestDocumentClients: the code for clients is in the programs that are tested, and so are
// the releases of the generators.
func TestDocumentClients(t *testing.T) {
	document := readFile(t, clientsFile)
	var programs string
	for _, pattern := range []string{"*.ts", "*.mjs", "*.go.txt"} {
		files, err := filepath.Glob("testdata/client/" + pattern)
		if err != nil || files == nil {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			programs += unindented(readFile(t, file)) + "\n"
		}
	}
	blocks := captures(codeBlock, document)
	for _, block := range blocks {
		if !strings.Contains(programs, unindented(block)) {
			t.Errorf("%s: no program has\n%s", clientsFile, block)
		}
	}
	if len(blocks) < 3 {
		t.Errorf("only %d blocks of code found", len(blocks))
	}
	data, err := os.ReadFile("testdata/client/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var tested struct{ Dependencies map[string]string }
	if err := json.Unmarshal(data, &tested); err != nil {
		t.Fatal(err)
	}
	for _, names := range captures(npmName, document) {
		for _, name := range strings.Fields(names) {
			i := strings.LastIndexByte(name, '@')
			if want := tested.Dependencies[name[:i]]; name[i+1:] != want {
				t.Errorf("%s: %s, and %q is tested", clientsFile, name, want)
			}
		}
	}
}

// unindented is a text without the blanks at the beginning of its lines.
func unindented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, " \t"))
	}
	return b.String()
}
