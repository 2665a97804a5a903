//go:build !race

package packages_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestPlatforms checks the types of the program on systems where nothing builds it before a
// release, and of all tests on macOS, where people develop. That takes seconds, where a build
// takes a minute; of modules it reads the declarations alone.
func TestPlatforms(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing for -race")
	}
	t.Parallel()
	t.Run("darwin", func(t *testing.T) { checkTypes(t, "darwin", "arm64", "-test", "./...") })
	t.Run("windows", func(t *testing.T) { checkTypes(t, "windows", "amd64", "./cmd/calfacade", "./cmd/legacysim") })
}

// listed is a package as "go list -deps" lists it: after its imports.
type listed struct {
	ImportPath string
	Dir        string
	Export     string // the file of the compiled package; "" without -export
	GoFiles    []string
	ImportMap  map[string]string
	Module     *struct{ Main bool }
}

func checkTypes(t *testing.T, goos, goarch string, patterns ...string) {
	args := append([]string{"list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Module"}, patterns...)
	list := exec.CommandContext(t.Context(), "go", args...)
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	list.Dir = processtest.Repository
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	done := imports{"unsafe": types.Unsafe}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // that one is generated
			continue
		}
		var syntax []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			syntax = append(syntax, f)
		}
		ours := p.Module != nil && p.Module.Main
		c := types.Config{
			Importer:         mapped{imports: done, names: p.ImportMap},
			IgnoreFuncBodies: !ours,
			Sizes:            types.SizesFor("gc", goarch),
			Error: func(err error) {
				if ours {
					t.Error(err)
				}
			},
		}
		done[p.ImportPath], _ = c.Check(p.ImportPath, files, syntax, nil) // Error has the errors
	}
}

// imports are packages with known types.
type imports map[string]*types.Package

// mapped finds the packages that a package imports, some by another name.
type mapped struct {
	imports
	names map[string]string
}

func (m mapped) Import(path string) (*types.Package, error) {
	if name, ok := m.names[path]; ok {
		path = name
	}
	if p := m.imports[path]; p != nil {
		return p, nil
	}
	return nil, os.ErrNotExist
}
