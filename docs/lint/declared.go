package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// vagueNames are prepositions, pronouns and participles. As the name of a value each of them leaves open what the
// value is.
var vagueNames = strings.Fields(`is of by to in at from with as on below above beside before after there here all some any every
	none other one others more most further rest whole same own each both such what which who where when how given taken made got
	had has have found known seen wanted want said gone lost kept left right sent shown asked read written`)

// checkDeclaredNames counts the variables, parameters, results and fields with a vague name: at most 1 % of them in the
// program, and 2 % in tests, not counting the usual got and want. Above the maximum, each of them is a finding.
func checkDeclaredNames(module tree, r *report) {
	for _, kind := range []struct {
		suffix  string // of the names of its files
		others  string // which its files do not have
		usual   []string
		percent int
	}{
		{suffix: ".go", others: "_test.go", percent: 1},
		{suffix: "_test.go", others: "-", usual: []string{"got", "want"}, percent: 2},
	} {
		var findings report
		declared := 0
		for file, text := range module.ownFiles(".go") {
			if !strings.HasSuffix(file, kind.suffix) || strings.HasSuffix(file, kind.others) {
				continue
			}
			files := token.NewFileSet()
			parsed, err := parser.ParseFile(files, file, text, 0)
			if err != nil {
				r.add(file, 1, "%v", err)
				continue
			}
			for _, name := range declaredNames(parsed) {
				declared++
				if slices.Contains(vagueNames, name.Name) && !slices.Contains(kind.usual, name.Name) {
					findings.add(file, files.Position(name.Pos()).Line, "the name %s leaves open what the value is", name.Name)
				}
			}
		}
		r.checked += declared
		if 100*len(findings.findings) > kind.percent*declared {
			r.findings = append(r.findings, findings.findings...)
		}
	}
}

// declaredNames returns the names that a file declares with :=, as parameters, results, receivers and fields.
func declaredNames(file *ast.File) (names []*ast.Ident) {
	declare := func(expressions ...ast.Expr) {
		for _, e := range expressions {
			if name, ok := e.(*ast.Ident); ok && name.Name != "_" {
				names = append(names, name)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
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
