package main

import (
	"fmt"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
)

// addDefaultCommands adds help and completion, which cobra makes, with texts and errors like the
// program's own commands.
func addDefaultCommands(root *cobra.Command) {
	root.SetHelpCommandGroupID(groupProgram)
	root.SetCompletionCommandGroupID(groupProgram)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			describeHelp(c)
		case "completion":
			describeCompletion(c)
		}
	}
}

func describeHelp(c *cobra.Command) {
	c.Use = "help [COMMAND]"
	c.Short = "Print the help of a command"
	c.Long = `Without a command it prints the list of all commands.

Exit status: 0 on success; 2 if there is no such command.`
	c.Example = `calfacade help
calfacade help serve
calfacade help completion bash`
	c.Run = nil
	c.RunE = help
}

func describeCompletion(c *cobra.Command) {
	c.Use = "completion SHELL"
	c.Short = "Print a script with which a shell completes commands and flags"
	c.Long = `The packages install the scripts. The help of each shell shows how to load its script.

Exit status: 0 on success; 2 if the arguments are wrong.`
	c.Example = `source <(calfacade completion bash)
calfacade completion fish > ~/.config/fish/completions/calfacade.fish
calfacade completion zsh --no-descriptions
calfacade help completion powershell`
	c.Args = noSuchShell
	c.RunE = func(c *cobra.Command, _ []string) error {
		return exitError{error: errProblems, status: exitUsage, help: c.UsageString()}
	}
	for _, shell := range c.Commands() {
		shell.Args = exactly(0)
	}
}

// help prints the help of a command.
func help(c *cobra.Command, args []string) error {
	about, _, err := c.Root().Find(args)
	if err != nil || about == c.Root() && len(args) > 0 {
		return noSuchCommand(c.Root(), args)
	}
	about.InitDefaultHelpFlag()
	return about.Help()
}

// noSuchShell refuses a shell that has no completion.
func noSuchShell(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var shells []string
	for _, shell := range c.Commands() {
		shells = append(shells, shell.Name())
	}
	return usageError(fmt.Errorf("no completion for %q: want %s", args[0], english.WordSeries(shells, "or")))
}
