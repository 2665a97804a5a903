package main

import (
	"go/scanner"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

const contributing = "CONTRIBUTING.md"

// privateWords are the words of the glossary's column "Instead of" that no text has another use for.
var privateWords = []string{
	"told", "witness", "speech", "sight", "crowd", "lent", "anew", "tells", "news", "let go",
	"nil is that there is none", "The zero value is not at all.", "Out of time", "Made again", "Put out for room",
}

// ordinaryWords are uses of them that are not the private dialect's.
var ordinaryWords = regexp.MustCompile("told apart|told from|`json:\"told")

// hasTheWords reports whether a file is the glossary or this check.
func hasTheWords(file string) bool { return file == contributing || file == "docs/lint/words.go" }

// checkWords searches comments, messages and documents for words that the glossary replaces. Catalogs of other languages than
// English have other words.
func checkWords(module tree, r *report) {
	_, glossary, _ := strings.Cut(module.texts[contributing], "| Instead of |")
	var patterns []string
	for _, w := range privateWords {
		if !strings.Contains(glossary, w) {
			r.add(contributing, 1, "the glossary has no %q", w)
		}
		patterns = append(patterns, regexp.QuoteMeta(strings.TrimSuffix(w, ".")))
	}
	private := regexp.MustCompile(`(?i)\b(` + strings.Join(patterns, "|") + `)\b`)
	for file, text := range module.ownFiles(".go", ".md", ".php", ".html", ".yaml") {
		if hasTheWords(file) || strings.HasPrefix(file, "i18n/catalog/") && path.Base(file) != "en.yaml" {
			continue
		}
		texts := map[int]string{1: text}
		if path.Ext(file) == ".go" {
			texts = goTexts(text)
		}
		for _, first := range slices.Sorted(maps.Keys(texts)) {
			r.checked++
			for i, line := range strings.Split(texts[first], "\n") {
				word := private.FindString(ordinaryWords.ReplaceAllString(line, ""))
				if word != "" {
					r.add(file, first+i, "%q: see the words of %s", word, contributing)
				}
			}
		}
	}
}

// goTexts returns the comments and strings of a source, by line.
func goTexts(source string) map[int]string {
	var s scanner.Scanner
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	s.Init(file, []byte(source), nil, scanner.ScanComments)
	texts := map[int]string{}
	for {
		pos, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return texts
		case token.COMMENT, token.STRING:
			texts[file.Line(pos)] += " " + text
		}
	}
}

// lookBack are words by which a reader has to look back for a noun.
var lookBack = regexp.MustCompile(`(?i)\b(those of|that of|of which|of what|is what|what is|in place of)\b`)

// maxLookBack is how many of them 1,000 lines of comments, or of documents, may have.
const maxLookBack = 8

// checkPhrases counts the words that make a reader look back for a noun. Above the maximum, each of them is a finding.
func checkPhrases(module tree, r *report) {
	for _, kind := range []string{".go", ".md"} {
		var findings report
		lines := 0
		for file, text := range module.files(kind) {
			if file == "docs/lint/words.go" {
				continue
			}
			for i, line := range strings.Split(text, "\n") {
				if kind == ".go" && !strings.HasPrefix(strings.TrimSpace(line), "//") {
					continue
				}
				lines++
				for _, phrase := range lookBack.FindAllString(line, -1) {
					findings.add(file, i+1, "%q: write the noun again", phrase)
				}
			}
		}
		r.checked += lines
		if 1000*len(findings.findings) > maxLookBack*lines {
			r.findings = append(r.findings, findings.findings...)
		}
	}
}
