package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/i18n"
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
		initCommand(p),
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
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) ||
		find(root, args[0]) != nil {
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

// flagError makes a usage error of an error of the library that parses flags.
func flagError(c *cobra.Command, err error) error {
	return usageError{flagProblem(c, err), fmt.Sprintf("Run %q for its flags.\n", c.CommandPath()+" --help")}
}

func flagProblem(c *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name, dashes := unknown.GetSpecifiedName(), "--"
		if letters := unknown.GetSpecifiedShortnames(); letters != "" { // a long flag with one dash, perhaps
			name, _, _ = strings.Cut(letters, "=")
			dashes = "-"
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return fmt.Errorf("there is no flag %s%s%s", dashes, name, config.Hint("--"+name, names))
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		reason := invalid.Unwrap()
		if _, ok := errors.AsType[*strconv.NumError](reason); ok {
			reason = errors.New("want a number")
		}
		return fmt.Errorf("invalid value %q for flag --%s: %w", invalid.GetValue(), invalid.GetFlag().Name, reason)
	}
	if lacking, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		name, _ := pflag.UnquoteUsage(lacking.GetFlag())
		return fmt.Errorf("--%s lacks its %s", lacking.GetSpecifiedName(), name)
	}
	return err
}

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

// usageExit is common to all commands.
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

// shells are those that a completion script can be written for.
var shells = []string{"bash", "fish", "powershell", "zsh"}

func completionCommand(p process) *cobra.Command {
	return &cobra.Command{
		Use:     "completion SHELL",
		Short:   "Print a script that completes commands and flags in a shell",
		GroupID: groupProgram,
		Long: `SHELL is bash, fish, powershell or zsh. Packages install the script in the directory of the
shell. In a session of your own, source it.`,
		Example: `# For this session:
source <(calfacade completion bash)
calfacade completion fish | source
# For every session:
calfacade completion bash > /etc/bash_completion.d/calfacade
calfacade completion zsh > "${fpath[1]}/_calfacade"
calfacade completion fish > ~/.config/fish/completions/calfacade.fish`,
		Annotations: map[string]string{exitsAnnotation: "0 on success"},
		Args:        cobra.MatchAll(exactly(1), oneOf(shells)),
		ValidArgs:   shells,
		RunE: func(c *cobra.Command, args []string) error {
			return completionScript(c.Root(), p.stdout, args[0])
		},
	}
}

func completionScript(root *cobra.Command, w io.Writer, shell string) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "fish":
		return root.GenFishCompletion(w, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return root.GenZshCompletion(w)
}

// oneOf requires the arguments to be among some values.
func oneOf(values []string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		for _, arg := range args {
			if !slices.Contains(values, arg) {
				return usageError{err: fmt.Errorf("%q is not one of %s", arg, strings.Join(values, ", "))}
			}
		}
		return nil
	}
}

// complete sets what completes the value of a flag.
func complete(c *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic("BUG: " + err.Error())
	}
}

// completeNoFiles keeps names of files out of the completions that are not set.
func completeNoFiles(c *cobra.Command) {
	if c.ValidArgsFunction == nil && c.ValidArgs == nil {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if _, set := c.GetFlagCompletionFunc(f.Name); !set {
			complete(c, f.Name, cobra.NoFileCompletions)
		}
	})
}

// configurations completes names of YAML files.
func configurations(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// directories completes names of directories.
func directories(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// values completes one of fixed values.
func values(all ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp)
}

// listOf completes the last element of a list with commas.
func listOf(elements func(c *cobra.Command) []string) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		var lists []cobra.Completion
		for _, e := range elements(c) {
			if !slices.Contains(strings.Split(before, ","), e) {
				lists = append(lists, before+e)
			}
		}
		return lists, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// languages returns the codes of the configuration that --config names, or of all languages
// if there is none.
func (p process) languages(c *cobra.Command) []string {
	cfg, err := p.configured(c)
	if err != nil {
		return i18n.Codes
	}
	return cfg.Codes()
}

// configured returns the configuration that the command line to be completed names.
func (p process) configured(c *cobra.Command) (config.Config, error) {
	file := cmp.Or(c.Flag("config").Value.String(), p.findConfig())
	if file == standardInput {
		return config.Config{}, errors.New("standard input is the terminal")
	}
	// The scripts set a variable that looks like a key of the configuration.
	p.env = slices.DeleteFunc(slices.Clone(p.env), func(v string) bool { return strings.HasPrefix(v, "CALFACADE_ACTIVE_HELP=") })
	return p.config(file)
}
