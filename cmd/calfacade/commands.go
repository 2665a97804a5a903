package main

import (
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
