package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// documents are all Markdown files of the project, by their path from its root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		names, err := fs.Glob(os.DirFS("../.."), pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			texts[name] = readFile(t, filepath.Join("../..", name))
		}
	}
	if texts["README.md"] == "" || len(texts) < 10 {
		t.Fatalf("only %d documents found", len(texts))
	}
	return texts
}

var (
	fenced     = regexp.MustCompile("(?ms)^```.*?^```\n?")
	codeSpan   = regexp.MustCompile("`[^`\n]*`")
	linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	linkText   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// anchors are the anchors that GitHub gives the headings of a document.
func anchors(document string) []string {
	var names []string
	counts := map[string]int{}
	for _, h := range captures(heading, fenced.ReplaceAllString(document, "")) {
		h = linkText.ReplaceAllString(h, "$1")
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, h)
		counts[anchor]++
		if n := counts[anchor]; n > 1 {
			anchor += "-" + strconv.Itoa(n-1)
		}
		names = append(names, anchor)
	}
	return names
}

// TestDocumentLinks resolves each relative link, with its anchor.
func TestDocumentLinks(t *testing.T) {
	texts := documents(t)
	checked := 0
	for name, text := range texts {
		text = codeSpan.ReplaceAllString(fenced.ReplaceAllString(text, ""), "")
		for _, target := range captures(linkTarget, text) {
			if strings.Contains(target, ":") { // another site
				continue
			}
			checked++
			checkTarget(t, name, target, texts)
		}
	}
	if checked < 30 {
		t.Errorf("only %d links checked", checked)
	}
}

// checkTarget fails if nothing is where a link of a file leads.
func checkTarget(t *testing.T, source, target string, documents map[string]string) {
	t.Helper()
	file, anchor, anchored := strings.Cut(target, "#")
	if file == "" {
		file = source
	} else {
		file = path.Join(path.Dir(source), file)
	}
	if _, err := os.Stat(filepath.Join("../..", file)); err != nil {
		t.Errorf("%s: nothing is at %s", source, target)
	} else if anchored && !slices.Contains(anchors(documents[file]), anchor) {
		t.Errorf("%s: %s has no heading for #%s", source, file, anchor)
	}
}

// mention is a document that source text names by its path from the root.
var mention = regexp.MustCompile(`\bdocs/[a-z/]+\.md(?:#[\w-]+)?`)

// TestDocumentMentions resolves the documents that comments and messages name.
func TestDocumentMentions(t *testing.T) {
	texts := documents(t)
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && file != "." {
			return fs.SkipDir
		}
		if !slices.Contains([]string{".go", ".yaml", ".php", ".json", ".html"}, path.Ext(file)) {
			return nil
		}
		text, err := fs.ReadFile(root, file)
		for _, target := range mention.FindAllString(string(text), -1) {
			checkTarget(t, ".", target, texts)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
