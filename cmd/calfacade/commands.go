package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
)

// commands returns all commands. A test requires the README to name each that is not hidden.
func commands(p process) []*cobra.Command {
	return []*cobra.Command{
		auditCommand(p),
		checkCommand(p),
		completionCommand(p),
		demoCommand(p),
		diffCommand(p),
		explainCommand(p),
		healthCommand(p),
		helpCommand(),
		openAPICommand(p),
		purgeCommand(p),
		recordCommand(p),
		serveCommand(p),
		stageCommand(p),
		versionCommand(p),
		warmCommand(p),
	}
}

// newRoot returns the program, which runs one of its commands.
func newRoot(p process) *cobra.Command {
	var printVersion bool
	root := &cobra.Command{
		Use:   "calfacade COMMAND [flags]",
		Short: "calfacade serves the API calendar/events/v1 in front of a WordPress site with The Events Calendar",
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) > 0: // after "--"
				return unknownCommand(c, args)
			case printVersion:
				return version(p)
			}
			return usageError{help: helpOf(c)}
		},
		ValidArgsFunction:     cobra.NoFileCompletions,
		CompletionOptions:     cobra.CompletionOptions{DisableDefaultCmd: true},
		DisableFlagsInUseLine: true,
		SilenceErrors:         true,
		SilenceUsage:          true,
	}
	root.Flags().BoolVar(&printVersion, "version", false, "print the version")
	root.AddGroup(
		&cobra.Group{ID: groupServe, Title: "Serving"},
		&cobra.Group{ID: groupInspect, Title: "Checking and comparing"},
		&cobra.Group{ID: groupInstance, Title: "Operating a running instance"},
		&cobra.Group{ID: groupProgram, Title: "The API and this program"},
	)
	root.AddCommand(commands(p)...)
	for _, c := range append(root.Commands(), root) {
		c.Flags().BoolP("help", "h", false, "show this help")
		completeNoFiles(c)
		if c.Name() == "help" {
			root.SetHelpCommand(c) // in place of the one that cobra adds otherwise
		}
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { _, _ = fmt.Fprint(c.OutOrStdout(), helpOf(c)) })
	return root
}

// find returns the command with a name; nil if there is none.
func find(root *cobra.Command, name string) *cobra.Command {
	for _, c := range root.Commands() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}

// unknownCommand returns an error if args begin with the name of a command that does not
// exist.
func unknownCommand(root *cobra.Command, args []string) error {
	// Completion scripts call commands that cobra adds later.
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) || find(root, args[0]) != nil {
		return nil
	}
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return usageError{fmt.Errorf("no command %q%s", args[0], config.Hint(args[0], names)), "\n" + helpOf(root)}
}

// doubleDashes returns args with two dashes before the long flags of a command. Scripts
// written for earlier versions may have one.
func doubleDashes(root *cobra.Command, args []string) []string {
	if len(args) == 0 {
		return []string{} // nil would be the arguments of the process
	}
	flags := root.Flags()
	if c := find(root, args[0]); c != nil {
		flags = c.Flags()
	}
	fixed := slices.Clone(args)
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, _, assigned := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		flag := flags.Lookup(name)
		if flag == nil || !strings.HasPrefix(args[i], "-") {
			continue
		}
		if !strings.HasPrefix(args[i], "--") {
			fixed[i] = "-" + args[i]
		}
		if flag.NoOptDefVal == "" && !assigned {
			i++ // its value, which may look like a flag
		}
	}
	return fixed
}
