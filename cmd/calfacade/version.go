package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
)

func version(_ context.Context, p process) error {
	if _, err := p.flags("version", 0, func(*flag.FlagSet) {}); err != nil {
		return err
	}
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
