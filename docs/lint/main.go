// Command lint finds mistakes in texts about the program: words, names and links in documents, comments and messages. "go run
// ./docs/lint", in the root of the module, prints a line for each: the file, the line and the message. Tests compare the
// text that "go generate" makes, and run the examples.
package main

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

func main() { os.Exit(run(os.DirFS("."), os.Stdout)) }

// checks are all checks. One that looks at fewer texts than its minimum no longer reads what it is for.
var checks = []struct {
	name    string
	minimum int
	check   func(tree, *report)
}{
	{name: "blocks", minimum: 100, check: checkBlocks},
	{name: "changelog", minimum: 1, check: checkChangelog},
	{name: "clients", minimum: 3, check: checkClients},
	{name: "commands", minimum: 10, check: checkCommands},
	{name: "declared names", minimum: 10000, check: checkDeclaredNames},
	{name: "dependencies", minimum: 20, check: checkDependencies},
	{name: "deployed files", minimum: 10, check: checkDeployed},
	{name: "errors", minimum: 30, check: checkErrors},
	{name: "links", minimum: 30, check: checkLinks},
	{name: "mentions", minimum: 10, check: checkMentions},
	{name: "names", minimum: 100, check: checkNames},
	{name: "package files", minimum: 5, check: checkPackageFiles},
	{name: "phrases", minimum: 2000, check: checkPhrases},
	{name: "typography", minimum: 1000, check: checkTypography},
	{name: "words", minimum: 1000, check: checkWords},
}

// run prints the findings in a module, and returns the exit status.
func run(root fs.FS, stdout io.Writer) int {
	module, err := readTree(root)
	if err != nil {
		fmt.Fprintln(stdout, err)
		return 1
	}
	var findings []finding
	for _, c := range checks {
		var r report
		c.check(module, &r)
		if r.checked < c.minimum {
			r.add("docs/lint/main.go", 1, "the check of %s found only %d texts to check", c.name, r.checked)
		}
		findings = append(findings, r.findings...)
	}
	slices.SortFunc(findings, func(a, b finding) int {
		byFile := cmp.Compare(a.file, b.file)
		byLine := cmp.Compare(a.line, b.line)
		byMessage := cmp.Compare(a.message, b.message)
		return cmp.Or(byFile, byLine, byMessage)
	})
	for _, f := range findings {
		fmt.Fprintln(stdout, f)
	}
	return min(len(findings), 1)
}
