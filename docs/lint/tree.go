package main

import (
	"io/fs"
	"iter"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// tree is a module. Directories that begin with a dot, and modules of npm, are no part of it.
type tree struct {
	fs.FS
	texts map[string]string // of files that checks read, by path
}

// readKinds are the extensions of files that checks read.
var readKinds = []string{".go", ".html", ".json", ".md", ".mjs", ".mod", ".php", ".ts", ".txt", ".yaml"}

func readTree(root fs.FS) (tree, error) {
	module := tree{FS: root, texts: map[string]string{}}
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains(readKinds, path.Ext(file)):
			return nil
		}
		text, err := fs.ReadFile(root, file)
		module.texts[file] = string(text)
		return err
	})
	return module, err
}

// exists reports whether the module has a file or a directory.
func (t tree) exists(name string) bool {
	_, err := fs.Stat(t, name)
	return err == nil
}

// files returns the names and texts of the files with one of the extensions, sorted by name.
func (t tree) files(extensions ...string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, file := range slices.Sorted(maps.Keys(t.texts)) {
			if slices.Contains(extensions, path.Ext(file)) && !yield(file, t.texts[file]) {
				return
			}
		}
	}
}

// ownFiles returns what files does, without data of tests.
func (t tree) ownFiles(extensions ...string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for file, text := range t.files(extensions...) {
			if !strings.Contains("/"+file, "/testdata/") && !yield(file, text) {
				return
			}
		}
	}
}

// documents returns the names and texts of the documents.
func (t tree) documents() iter.Seq2[string, string] { return t.ownFiles(".md") }

// match is a part of a text that an expression matches.
type match struct {
	line   int
	groups []string // the whole match, then the groups of the expression
}

// matches returns the parts of a text that an expression matches.
func matches(expression *regexp.Regexp, text string) []match {
	var list []match
	for _, index := range expression.FindAllStringSubmatchIndex(text, -1) {
		m := match{line: 1 + strings.Count(text[:index[0]], "\n")}
		for i := 0; i < len(index); i += 2 {
			group := ""
			if index[i] >= 0 {
				group = text[index[i]:index[i+1]]
			}
			m.groups = append(m.groups, group)
		}
		list = append(list, m)
	}
	return list
}

// without returns a text in which the lines stay where they are, without the matches of an expression.
func without(expression *regexp.Regexp, text string) string {
	return expression.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
}
