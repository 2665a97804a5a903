package main

import (
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestPackageTable generates the table of packages from their comments, without the packages for tests, which have "test" in their names.
func TestPackageTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("| Package | Subject |\n|---|---|\n")
	subjects := packageSubjects(t)
	for _, name := range slices.Sorted(maps.Keys(subjects)) {
		if subjects[name] == "" {
			t.Errorf("%s has no package comment", name)
		}
		if !strings.Contains(path.Base(name), "test") {
			fmt.Fprintf(&b, "| [`%s`](../%[1]s) | %s |\n", name, subjects[name])
		}
	}
	processtest.CheckGenerated(t, processtest.ArchitectureFile, "packages", b.String())
}

// packageSubjects are the first sentences of the package comments, by directory.
func packageSubjects(t *testing.T) map[string]string {
	t.Helper()
	subjects := packageComments(t)
	for dir, comment := range subjects {
		subjects[dir] = subjectOf(comment)
	}
	return subjects
}

// packageComments are the package comments, by directory.
func packageComments(t *testing.T) map[string]string {
	t.Helper()
	comments := map[string]string{}
	root := os.DirFS(processtest.Repository)
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && file != ".") {
			return fs.SkipDir
		}
		if err != nil || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		comment := ""
		if parsed.Doc != nil {
			comment = parsed.Doc.Text()
		}
		comments[path.Dir(file)] += comment // one file of a package has its comment
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return comments
}

// subjectOf is the first sentence of a package comment, without the name of the package.
func subjectOf(comment string) string {
	sentence := new(doc.Package).Synopsis(comment)
	for _, start := range []string{"Package ", "Command "} {
		if subject, ok := strings.CutPrefix(sentence, start); ok {
			_, sentence, _ = strings.Cut(subject, " ")
		}
	}
	return docLink.ReplaceAllString(strings.TrimSuffix(sentence, "."), "`$1`")
}

// docLink is a link in a comment to a declaration of the package.
var docLink = regexp.MustCompile(`\[(\w+)\]`)
