package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func versionCommand(p process) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program, of Go, and the platform",
		GroupID: groupProgram,
		Example: `calfacade version
calfacade version --json`,
		Annotations: map[string]string{exitsAnnotation: "0 on success"},
		Args:        exactly(0),
		RunE: func(*cobra.Command, []string) error {
			v := versionReport{"", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH}
			return p.print(asJSON, v, nil, func(io.Writer) error { return version(p) })
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

// versionReport is what "calfacade version --json" prints.
type versionReport struct {
	Error   string `json:"error"` // always ""
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func version(p process) error {
	_, err := fmt.Fprintf(p.stdout, "calfacade %s %s %s/%s\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
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
