package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		GroupID: groupProgram,
		Example: `calfacade help
calfacade help purge`,
		Annotations: map[string]string{exitsAnnotation: "0 on success"},
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

// exitsAnnotation is the annotation of a command with the meanings of its exit statuses, except for
// wrong arguments.
const exitsAnnotation = "exits"

// usageExit is what all commands have in common.
const usageExit = "2 if the arguments are wrong"

// helpWidth is the width of the help, in columns.
const helpWidth = 100

// helpOf returns the help of a command.
func helpOf(c *cobra.Command) string {
	var b strings.Builder
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n%s:\n%s", title, text)
		}
	}
	fmt.Fprintf(&b, "%s.\n", c.Short)
	if c.Long != "" {
		fmt.Fprintf(&b, "\n%s\n", c.Long)
	}
	section("Usage", indent(c.UseLine()))
	for _, g := range c.Groups() {
		section(g.Title, commandList(c, g.ID))
	}
	section("Examples", indent(c.Example))
	section("Flags", c.Flags().FlagUsagesWrapped(helpWidth))
	if text := ExitStatus(c); text != "" {
		section("Exit status", indent(strings.ReplaceAll(text, "; ", "\n")))
	}
	if !c.HasParent() {
		fmt.Fprintf(&b, "\nTo start, run \"%s demo\". Run \"%[1]s help COMMAND\" for a command, its flags and examples.\n", c.Name())
	}
	return b.String()
}

// commandList returns a line for each command of a group.
func commandList(root *cobra.Command, group string) string {
	var b strings.Builder
	for _, c := range root.Commands() {
		if c.GroupID == group && !c.Hidden {
			fmt.Fprintf(&b, "  %-*s  %s\n", root.NamePadding(), c.Name(), c.Short)
		}
	}
	return b.String()
}

// ExitStatus returns the meanings of the exit statuses; "" for the program itself.
func ExitStatus(c *cobra.Command) string {
	text := c.Annotations[exitsAnnotation]
	if text == "" {
		return ""
	}
	before, after, found := strings.Cut(text, "; 3 ")
	if found {
		after = "; 3 " + after
	}
	return before + "; " + usageExit + after
}

// indent indents each line of a text that is not empty.
func indent(text string) string {
	if text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
}
