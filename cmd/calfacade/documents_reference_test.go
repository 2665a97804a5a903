package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

var commandsFile = processtest.Repository + "/docs/commands.md"

// seeAlso are links from the section of a command.
var seeAlso = map[string]string{
	"check": "[connecting a site](migration.md#connecting-a-site), [how the site chooses a " +
		"language](migration.md#how-the-site-chooses-a-language)",
	"diff":    "[comparing two sites](migration.md#comparing-two-sites)",
	"explain": "[explaining a request](operations.md#explaining-a-request)",
	"health":  "[health](operations.md#health)",
	"openapi": "[the OpenAPI document](api.md#the-openapi-document)",
	"purge":   "[purging](caching.md#purging)",
	"record":  "[record and replay](migration.md#record-and-replay)",
	"serve":   "[configuration](configuration.md), [reload](operations.md#reload), [shutdown](operations.md#shutdown)",
	"stage":   "[changing it at run time](migration.md#changing-it-at-run-time)",
	"warm":    "[warming the cache](migration.md#warming-the-cache)",
}

// TestCommandReference generates docs/commands.md from the commands.
func TestCommandReference(t *testing.T) {
	root := newRoot(process{})
	var b strings.Builder
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "\n## %s\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && !c.Hidden {
				b.WriteString(reference(c))
			}
		}
	}
	processtest.CheckGenerated(t, commandsFile, "commands", b.String()+"\n")
}

// reference returns the section of a command.
func reference(c *cobra.Command) string {
	about := c.Short + "."
	if c.Long != "" {
		about += " " + strings.Join(strings.Fields(c.Long), " ")
	}
	if links := seeAlso[c.Name()]; links != "" {
		about += " See also: " + links + "."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n%s\n", c.CommandPath(), about)
	header := "\n| Flag | Meaning | Default |\n|---|---|---|\n"
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Name == "json" || f.Name == "config" && c.Name() != "openapi" { // the page begins with them
			return
		}
		name, meaning := pflag.UnquoteUsage(f)
		value := ""
		if !slices.Contains([]string{"", "false", "0", "[]"}, f.DefValue) { // a flag that is not set has no effect then
			value = "`" + f.DefValue + "`"
		}
		fmt.Fprintf(&b, "%s| `%s` | %s | %s |\n", header, strings.TrimSpace("--"+f.Name+" "+name), meaning, value)
		header = ""
	})
	fmt.Fprintf(&b, "\n```sh not-run\n%s\n```\n", c.Example)
	return b.String()
}

// TestCommandTexts checks the texts of each command about itself.
func TestCommandTexts(t *testing.T) {
	sentence := regexp.MustCompile(`^[A-Z][^.]*[^.]$`)
	for _, c := range newRoot(process{}).Commands() {
		if !sentence.MatchString(c.Short) || len(c.Short) > 90 {
			t.Errorf("%s: %q is not a sentence of 90 characters at most, without its full stop", c.Name(), c.Short)
		}
		if c.Example == "" || c.GroupID == "" || c.Name() != "version" && !strings.Contains(c.Long, "\n\nExit status: 0 ") {
			t.Errorf("%s lacks examples, exit statuses or its group", c.Name())
		}
		for line := range strings.SplitSeq(c.UsageString(), "\n") {
			if len(line) > 120 {
				t.Errorf("%s: the help has a line of %d columns: %s", c.Name(), len(line), line)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			name, _ := pflag.UnquoteUsage(f)
			if f.NoOptDefVal == "" && name != strings.ToUpper(name) {
				t.Errorf("%s: --%s has a value without a name", c.Name(), f.Name)
			}
		})
	}
}

var (
	exampleCall = regexp.MustCompile(`\bcalfacade ([a-z]+)((?: (?:'[^']*'|[^ '<>|)]+))*)`)
	exampleWord = regexp.MustCompile(`'[^']*'|[^ ]+`)
)

// TestCommandExamples parses the examples of the help.
func TestCommandExamples(t *testing.T) {
	for _, c := range newRoot(process{}).Commands() {
		for line := range strings.SplitSeq(c.Example, "\n") {
			call := exampleCall.FindStringSubmatch(line)
			switch {
			case strings.HasPrefix(line, "#"):
				continue
			case call == nil:
				t.Errorf("%s: the example %q does not call calfacade", c.Name(), line)
				continue
			}
			var args []string
			for _, word := range exampleWord.FindAllString(call[2], -1) {
				args = append(args, strings.Trim(word, "'"))
			}
			called, args, err := newRoot(process{}).Find(append(call[1:2:2], args...)) // also a command of a command
			if err != nil || !strings.HasPrefix(called.CommandPath()+" ", "calfacade "+call[1]+" ") {
				t.Errorf("%s: %q calls no command", c.Name(), line)
				continue
			}
			if err := called.ParseFlags(args); err != nil {
				t.Errorf("%s: %q: %v", c.Name(), line, err)
			}
			if err := called.ValidateArgs(called.Flags().Args()); err != nil {
				t.Errorf("%s: %q: %v", c.Name(), line, err)
			}
		}
	}
}
