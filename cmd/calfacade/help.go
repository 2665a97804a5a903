package main

import (
	"github.com/calfacade/calfacade/cmd/calfacade/internal/usage"
	"github.com/spf13/cobra"
)

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		GroupID: groupProgram,
		Example: `calfacade help
calfacade help purge`,
		Annotations: map[string]string{usage.Exits: "0 on success"},
		Args:        cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			about := c.Root()
			if len(args) > 0 {
				if err := unknownCommand(c.Root(), args); err != nil {
					return err
				}
				if about = find(c.Root(), args[0]); about == nil {
					about = c.Root()
				}
			}
			return about.Help()
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			for _, other := range c.Root().Commands() {
				if len(args) == 0 && !other.Hidden {
					names = append(names, cobra.CompletionWithDesc(other.Name(), other.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}
