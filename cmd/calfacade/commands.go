package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/hangup"
)

// commands returns the program's own commands. A test requires the README to name each.
func commands(p process) []*cobra.Command {
	return []*cobra.Command{
		auditCommand(p),
		checkCommand(p),
		demoCommand(p),
		diffCommand(p),
		explainCommand(p),
		healthCommand(p),
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

// reloads is the annotation of commands that reload on SIGHUP.
const reloads = "reloads"

// newRoot returns the program, which runs one command.
func newRoot(p process) *cobra.Command {
	root := &cobra.Command{
		Use:     "calfacade",
		Short:   "calfacade serves the API calendar/events/v1 in front of a WordPress site with The Events Calendar",
		Long:    `To start, run "calfacade demo".`,
		Version: versionLine(),
		Args:    noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			return exitError{error: errProblems, status: exitUsage, help: c.UsageString()}
		},
		SuggestionsMinimumDistance: 2,
		SilenceErrors:              true,
		SilenceUsage:               true,
	}
	root.AddGroup(
		&cobra.Group{ID: groupServe, Title: "Serving:"},
		&cobra.Group{ID: groupInspect, Title: "Checking and comparing:"},
		&cobra.Group{ID: groupInstance, Title: "Operating a running instance:"},
		&cobra.Group{ID: groupProgram, Title: "The API and this program:"},
	)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.AddCommand(commands(p)...)
	root.PersistentPreRun = func(c *cobra.Command, _ []string) {
		if c.Annotations[reloads] == "" {
			hangup.Default()
		}
	}
	addDefaultCommands(root)
	root.SetHelpTemplate("{{.Short}}.\n\n{{with .Long}}{{.}}\n\n{{end}}{{.UsageString}}")
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 100")) // columns
	root.SetFlagErrorFunc(wrongFlag)
	return root
}

// wrongFlag returns the error of a flag that is unknown, or has a wrong value. Of a command that is misspelled no flag
// is known.
func wrongFlag(c *cobra.Command, err error) error {
	words := c.Flags().Args()
	if !c.HasParent() && len(words) > 0 {
		return noSuchCommand(c, words)
	}
	return exitError{
		error:  err,
		status: exitUsage,
		help:   fmt.Sprintf("Run %q for its flags.\n", c.CommandPath()+" --help"),
	}
}

// completes lets shells complete the value of a flag.
func completes(c *cobra.Command, flag string, values ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic("BUG: " + err.Error())
	}
}

// noSuchCommand refuses arguments that no command has taken.
func noSuchCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("no command %q", args[0])
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		err = fmt.Errorf("%w: did you mean %q?", err, near[0])
	}
	return exitError{error: err, status: exitUsage, help: "\n" + root.UsageString()}
}

func versionCommand(p process) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program, of Go, and the platform",
		GroupID: groupProgram,
		Example: "calfacade version",
		Args:    exactly(0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(p.stdout, versionLine())
			return err
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("calfacade %s %s %s/%s", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// buildVersion returns the version that the go command recorded: of a release, or the
// revision of a checkout.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version
}
