package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// vagueNames are prepositions, pronouns and participles. As the name of a value each of them leaves open what the
// value is.
var vagueNames = strings.Fields(`is of by to in at from with as on below above beside before after there here all some any every
	none other one others more most further rest whole same own each both such what which who where when how given taken made got
	had has have found known seen wanted want said gone lost kept left right sent shown asked read written`)

// TestDeclaredNames: at most 1 % of the variables, parameters, results and fields of the program have a vague name, and
// at most 2 % in tests, not counting the usual got and want.
func TestDeclaredNames(t *testing.T) {
	vague := map[string]bool{}
	for _, name := range vagueNames {
		vague[name] = true
	}
	root := os.DirFS("../..")
	names := map[string][]string{}
	places := map[string][]string{}
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && file != "."):
			return fs.SkipDir
		case !strings.HasSuffix(file, ".go"):
			return nil
		}
		kind := "program"
		if strings.HasSuffix(file, "_test.go") {
			kind = "tests"
		}
		source, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		for _, name := range declaredNames(t, file, source) {
			names[kind] = append(names[kind], name)
			if vague[name] && (kind != "tests" || name != "got" && name != "want") {
				places[kind] = append(places[kind], file+": "+name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for kind, percent := range map[string]int{"program": 1, "tests": 2} {
		if n := len(names[kind]); n < 5000 || 100*len(places[kind]) > percent*n {
			t.Errorf("%s: %d of %d names, want at most %d %%: %s", kind, len(places[kind]), n, percent, strings.Join(places[kind], ", "))
		}
	}
}

// declaredNames returns the names that a file declares with :=, as parameters, results, receivers and fields.
func declaredNames(t *testing.T, file string, source []byte) (names []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	declare := func(expressions ...ast.Expr) {
		for _, e := range expressions {
			if name, ok := e.(*ast.Ident); ok && name.Name != "_" {
				names = append(names, name.Name)
			}
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				declare(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				declare(n.Key, n.Value)
			}
		case *ast.Field:
			for _, name := range n.Names {
				declare(name)
			}
		}
		return true
	})
	return names
}
