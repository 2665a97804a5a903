package documents_test

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

//go:generate go test -run ^TestDocumentFiles$ -update .

// shownFile is the mark before a file of docs/deploy in a document.
var shownFile = regexp.MustCompile(`(?m)^<!-- (deploy/\S+) -->$`)

// TestDocumentFiles generates, in documents, the files of docs/deploy that they show.
func TestDocumentFiles(t *testing.T) {
	for name, text := range documents(t) {
		for _, file := range processtest.Captures(shownFile, text) {
			shipped := processtest.ReadFile(t, filepath.Join(processtest.Repository, "docs", file))
			processtest.CheckGenerated(t, filepath.Join(processtest.Repository, name), file, "```"+kindOfFile(file)+"\n"+shipped+"```\n")
		}
	}
}

// kindOfFile is the info string of a block with a file.
func kindOfFile(file string) string {
	switch directory := path.Base(strings.Split(file, "/")[1]); {
	case path.Ext(file) == ".yaml":
		return "yaml"
	case path.Ext(file) == ".vcl":
		return "vcl"
	case slices.Contains([]string{"nginx", "haproxy", "apache2", "caddy"}, directory):
		return strings.TrimSuffix(directory, "2")
	}
	return "ini"
}
