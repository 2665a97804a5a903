package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/i18n"
)

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
	file := c.Flag("config").Value.String()
	if file == standardInput {
		return config.Config{}, errors.New("standard input is the terminal")
	}
	// The scripts set a variable that looks like a key of the configuration.
	p.env = slices.DeleteFunc(slices.Clone(p.env), func(v string) bool { return strings.HasPrefix(v, "CALFACADE_ACTIVE_HELP=") })
	return p.config(file)
}
