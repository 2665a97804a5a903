package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
)

// flagError makes a usage error of an error of the library that parses flags.
func flagError(c *cobra.Command, err error) error {
	return usageError{flagProblem(c, err), fmt.Sprintf("Run %q for its flags.\n", c.CommandPath()+" --help")}
}

func flagProblem(c *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := unknown.GetSpecifiedName()
		if letters := unknown.GetSpecifiedShortnames(); letters != "" {
			name, _, _ = strings.Cut(letters, "=") // a long flag with one dash
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return fmt.Errorf("there is no flag --%s%s", name, config.Hint("--"+name, names))
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
