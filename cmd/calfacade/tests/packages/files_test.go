//go:build !race

package packages_test

import (
	"bytes"
	"encoding/json"
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
	"sync"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// inCircles are the packages with files that do not point one way yet. A package leaves the list once its
// files do.
var inCircles = []string{
	"cmd/calbench",
	"proxy/upstream",
}

// maxUnordered is how many files a package may have whatever their order: a reader has all in view.
const maxUnordered = 4

// TestFilesPointOneWay holds that the files of a package use each other in one direction only, so that
// they can be read from top to bottom.
func TestFilesPointOneWay(t *testing.T) {
	packages := packagesOf(t)
	if len(packages) < 20 {
		t.Fatalf("only %d packages", len(packages))
	}
	for _, name := range inCircles {
		if !slices.ContainsFunc(packages, func(p listed) bool { return p.name() == name }) {
			t.Errorf("%s is no package with more than %d files", name, maxUnordered)
		}
	}
	imports := compiled(t)
	for _, p := range packages {
		t.Run(p.name(), func(t *testing.T) {
			t.Parallel()
			uses := usesOfFiles(t, imports, p)
			dropLowest(uses)
			excused := slices.Contains(inCircles, p.name())
			if excused && len(uses) == 0 {
				t.Error("its files point one way: remove it from inCircles")
			}
			if excused {
				return
			}
			for _, file := range slices.Sorted(maps.Keys(uses)) {
				t.Errorf("%s is in a circle, or above one: it uses %s", file, slices.Sorted(maps.Values(uses[file])))
			}
		})
	}
}

// dropLowest removes the files that use no other file, floor by floor.
func dropLowest(uses map[string]map[string]string) {
	for used := true; used; {
		used = false
		for file, targets := range maps.All(uses) {
			if len(targets) == 0 {
				used = true
				delete(uses, file)
				for _, targets := range uses {
					delete(targets, file)
				}
			}
		}
	}
}

// name returns the path of the package in the module.
func (p listed) name() string { return strings.TrimPrefix(p.ImportPath, module) }

// listing returns the packages of the program and their dependencies, compiled.
var listing = sync.OnceValues(func() (packages []listed, err error) {
	list := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles,Module", "./...")
	list.Dir = processtest.Repository
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	return packages, nil
})

// packagesOf returns the packages of the program with so many files that their order matters.
func packagesOf(t *testing.T) []listed {
	packages, err := listing()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(slices.Clone(packages), func(p listed) bool {
		return p.Module == nil || !p.Module.Main || len(p.GoFiles) <= maxUnordered
	})
}

// usesOfFiles returns for each file of a package what it uses of each other file: one name as an example.
func usesOfFiles(t *testing.T, imports func(*token.FileSet) types.Importer, p listed) map[string]map[string]string {
	fset := token.NewFileSet()
	uses := map[string]map[string]string{}
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		uses[name] = map[string]string{}
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	checked, err := (&types.Config{Importer: imports(fset)}).Check(p.ImportPath, fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	fileOf := func(p token.Pos) string { return filepath.Base(fset.Position(p).Filename) }
	for name, object := range info.Uses {
		user := fileOf(name.Pos())
		definer := fileOf(object.Pos())
		if object.Pkg() == checked && user != definer {
			uses[user][definer] = definer + " (" + object.Name() + ")"
		}
	}
	return uses
}

// compiled returns a function that makes importers of the compiled packages.
func compiled(t *testing.T) func(*token.FileSet) types.Importer {
	packages, err := listing()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
	}
	return func(fset *token.FileSet) types.Importer {
		return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
			if exports[path] == "" {
				return nil, fmt.Errorf("%s is not compiled", path)
			}
			return os.Open(exports[path])
		})
	}
}
