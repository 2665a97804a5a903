package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

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

// noSuchCommand refuses arguments that no command has taken.
func noSuchCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("no command %q", args[0])
	near := root.SuggestionsFor(args[0])
	if len(near) > 0 {
		err = fmt.Errorf("%w: did you mean %q?", err, near[0])
	}
	return exitError{error: err, status: exitUsage, help: "\n" + root.UsageString()}
}
