package main

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// privateWords are the words of the glossary's column "Instead of" that no text has another use for.
var privateWords = []string{
	"told", "witness", "speech", "sight", "crowd", "lent", "anew", "tells", "news", "let go",
	"nil is that there is none", "The zero value is not at all.", "Out of time", "Made again", "Put out for room",
}

// ordinaryWords are uses of them that are not the private dialect's.
var ordinaryWords = regexp.MustCompile("told apart|told from|`json:\"told")

// TestWords searches comments, messages and documents for words that the glossary in
// CONTRIBUTING.md replaces.
func TestWords(t *testing.T) {
	const contributing = "CONTRIBUTING.md"
	root := os.DirFS("../..")
	glossary := readFile(t, "../../"+contributing)
	_, glossary, _ = strings.Cut(glossary, "| Instead of |")
	var patterns []string
	for _, w := range privateWords {
		if !strings.Contains(glossary, w) {
			t.Errorf("the glossary has no %q", w)
		}
		patterns = append(patterns, regexp.QuoteMeta(strings.TrimSuffix(w, ".")))
	}
	private := regexp.MustCompile(`(?i)\b(` + strings.Join(patterns, "|") + `)\b`)
	checked := 0
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && file != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
			return fs.SkipDir
		}
		if d.IsDir() || file == contributing || name == "documents_words_test.go" {
			return nil
		}
		texts := map[int]string{}
		switch path.Ext(file) {
		case ".go":
			texts = goTexts(t, root, file)
		case ".md", ".php", ".html":
			text, err := fs.ReadFile(root, file)
			if err != nil {
				return err
			}
			texts[1] = string(text)
		case ".yaml":
			if strings.HasPrefix(file, "i18n/") && name != "en.yaml" {
				return nil
			}
			text, err := fs.ReadFile(root, file)
			if err != nil {
				return err
			}
			texts[1] = string(text)
		}
		for first, text := range texts {
			checked++
			for i, line := range strings.Split(text, "\n") {
				if m := private.FindString(ordinaryWords.ReplaceAllString(line, "")); m != "" {
					t.Errorf("%s:%d: %q: see Words in %s", file, first+i, m, contributing)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 1000 {
		t.Errorf("only %d texts were checked", checked)
	}
}

// goTexts returns the comments and strings of a file, by line.
func goTexts(t *testing.T, root fs.FS, file string) map[int]string {
	t.Helper()
	source, err := fs.ReadFile(root, file)
	if err != nil {
		t.Fatal(err)
	}
	var s scanner.Scanner
	files := token.NewFileSet()
	f := files.AddFile(file, -1, len(source))
	s.Init(f, source, nil, scanner.ScanComments)
	texts := map[int]string{}
	for {
		pos, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return texts
		case token.COMMENT, token.STRING:
			line := f.Line(pos)
			texts[line] += " " + text
		}
	}
}

// lookBack are words by which a reader has to look back for a noun.
var lookBack = regexp.MustCompile(`(?i)\b(those of|that of|of which|of what|is what|what is|in place of)\b`)

// TestPhrases counts the words that make a reader look back for a noun: at most 8 in 1,000 lines of
// comments, and of documents.
func TestPhrases(t *testing.T) {
	root := os.DirFS("../..")
	counts := map[string]int{}
	lines := map[string]int{}
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && file != ".") {
				return fs.SkipDir
			}
			return err
		}
		kind := path.Ext(file)
		if kind != ".go" && kind != ".md" || d.Name() == "documents_words_test.go" {
			return nil
		}
		text, err := fs.ReadFile(root, file)
		for line := range strings.Lines(string(text)) {
			if kind == ".md" || strings.HasPrefix(strings.TrimSpace(line), "//") {
				lines[kind]++
				counts[kind] += len(lookBack.FindAllString(line, -1))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for kind, n := range lines {
		if n < 1000 || 1000*counts[kind] > 8*n {
			t.Errorf("%s: %d in %d lines", kind, counts[kind], n)
		}
	}
}
