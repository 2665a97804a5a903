package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

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
