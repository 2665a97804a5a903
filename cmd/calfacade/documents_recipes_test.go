package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shownFile is the mark before a file of docs/deploy in a document.
var shownFile = regexp.MustCompile(`(?m)^<!-- (deploy/\S+) -->$`)

// TestDocumentFiles generates, in documents, the files of docs/deploy that they show. Every one of
// these files is shown or linked somewhere.
func TestDocumentFiles(t *testing.T) {
	var joined strings.Builder
	for name, text := range documents(t) {
		joined.WriteString(text)
		for _, file := range captures(shownFile, text) {
			checkGenerated(t, filepath.Join("../..", name), file, "```"+kindOfFile(file)+"\n"+readFile(t, filepath.Join("../../docs", file))+"```\n")
		}
	}
	err := fs.WalkDir(os.DirFS("../../docs"), "deploy", func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.Contains(joined.String(), file) {
			t.Errorf("no document shows %s", file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
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
