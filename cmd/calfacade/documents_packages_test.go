package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestPackageTable generates the table of packages from their comments and imports.
func TestPackageTable(t *testing.T) {
	checkGenerated(t, architectureFile, "packages", packageTable(t))
}

// goPackage is what the table shows of a package.
type goPackage struct {
	subject string          // the first sentence of its comment
	imports map[string]bool // of this module
}

func packageTable(t *testing.T) string {
	t.Helper()
	packages := goPackages(t)
	var b strings.Builder
	b.WriteString("| Package | Subject | Imports of this module |\n|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		p := packages[name]
		if p.subject == "" {
			t.Errorf("%s has no package comment", name)
		}
		imports := "-"
		if len(p.imports) > 0 {
			imports = "`" + strings.Join(slices.Sorted(maps.Keys(p.imports)), "`, `") + "`"
		}
		fmt.Fprintf(&b, "| [`%s`](../%[1]s) | %s | %s |\n", name, p.subject, imports)
	}
	return b.String()
}

// goPackages are the packages of the module, by their directories.
func goPackages(t *testing.T) map[string]*goPackage {
	t.Helper()
	packages := map[string]*goPackage{}
	root := os.DirFS("../..")
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
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		p := packages[path.Dir(file)]
		if p == nil {
			p = &goPackage{imports: map[string]bool{}}
			packages[path.Dir(file)] = p
		}
		return p.read(parsed)
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

func (p *goPackage) read(file *ast.File) error {
	if file.Doc != nil {
		p.subject = subjectOf(file.Doc.Text())
	}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if own, ok := strings.CutPrefix(name, module); ok {
			p.imports[own] = true
		}
	}
	return nil
}

// subjectOf is the first sentence of a package comment, without the name of the package.
func subjectOf(comment string) string {
	sentence := new(doc.Package).Synopsis(comment)
	for _, start := range []string{"Package ", "Command "} {
		if rest, ok := strings.CutPrefix(sentence, start); ok {
			_, sentence, _ = strings.Cut(rest, " ")
		}
	}
	return strings.TrimSuffix(sentence, ".")
}
