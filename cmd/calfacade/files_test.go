package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFilesPointOneWay holds that the files of package proxy use each other in one direction only, so
// that they can be read from top to bottom.
func TestFilesPointOneWay(t *testing.T) {
	uses := usesOfFiles(t, "../../proxy")
	if len(uses["server.go"]) == 0 {
		t.Fatal("server.go uses no other file")
	}
	for used := true; used; { // the files that use no others are the lowest floor
		used = false
		for file, others := range maps.All(uses) {
			if len(others) == 0 {
				used = true
				delete(uses, file)
				for _, from := range uses {
					delete(from, file)
				}
			}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(uses)) {
		t.Errorf("%s is in a circle, or above one: it uses %s", file, slices.Sorted(maps.Values(uses[file])))
	}
}

// usesOfFiles returns for each file of a package what it uses of each other file: one name as an example.
func usesOfFiles(t *testing.T, dir string) map[string]map[string]string {
	fset := token.NewFileSet()
	names, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string]map[string]string{}
	files := []*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		uses[filepath.Base(name)] = map[string]string{}
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	of, err := (&types.Config{Importer: compiled(t, fset, dir)}).Check(dir, fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	at := func(p token.Pos) string { return filepath.Base(fset.Position(p).Filename) }
	for name, object := range info.Uses {
		if from, to := at(name.Pos()), at(object.Pos()); object.Pkg() == of && from != to {
			uses[from][to] = to + " (" + object.Name() + ")"
		}
	}
	return uses
}

// compiled returns an importer of compiled packages: those that a package depends on.
func compiled(t *testing.T, fset *token.FileSet, dir string) types.Importer {
	list := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".")
	list.Dir = dir
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("%s is not compiled", path)
		}
		return os.Open(exports[path])
	})
}
