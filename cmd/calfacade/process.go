package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dustin/go-humanize/english"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
)

// process is the environment of a command.
type process struct {
	env    []string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

// The groups of commands, in the order of the help.
const (
	groupServe    = "serve"
	groupInspect  = "inspect"
	groupInstance = "instance"
	groupProgram  = "program"
)

// reloads is the annotation of commands that reload on SIGHUP.
const reloads = "reloads"

// completes lets shells complete the value of a flag.
func completes(c *cobra.Command, flag string, values ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic("BUG: " + err.Error())
	}
}

// exactly requires n arguments after the flags of a command.
func exactly(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		hint := ""
		file := c.Flag("config")
		if n == 0 && len(args) == 1 && file != nil && !file.Changed {
			hint = fmt.Sprintf(": did you mean --config %s?", args[0])
		}
		return usageError(fmt.Errorf("want %s after the flags, got %d%s", english.Plural(n, "argument", ""), len(args), hint))
	}
}

// atLeastOne requires an argument or more.
func atLeastOne(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError(errors.New("want an argument after the flags"))
	}
	return nil
}

// printed is the output of a command with --json.
type printed struct {
	Error  string         `json:"error"` // why the result is missing or incomplete; "" for a complete result
	Result jsontext.Value `json:",embed"`
}

// printJSON prints a result, which is a struct, and the error of a command.
func (p process) printJSON(result any, failure error) error {
	data, err := json.Marshal(result)
	if err != nil {
		return err
	}
	envelope := printed{Result: data}
	if failure != nil {
		envelope.Error = failure.Error()
	}
	return cmp.Or(jsonv2.MarshalEncode(jsontext.NewEncoder(p.stdout, jsontext.WithIndent("  ")), envelope), failure)
}

// jsonFlag defines --json.
func jsonFlag(c *cobra.Command, asJSON *bool) {
	c.Flags().BoolVar(asJSON, "json", false, "print JSON, errors too")
}

// print prints the result of a command: as JSON, or by text, through a writer that escapes the characters
// which a terminal would interpret. It returns err, which --json prints too.
func (p process) print(asJSON bool, result any, err error, text func(io.Writer) error) error {
	switch {
	case err != nil && asJSON:
		return p.printJSON(struct{}{}, err)
	case err != nil:
		return err
	case asJSON:
		return p.printJSON(result, nil)
	}
	return text(terminal.Writer{Writer: p.stdout})
}

// standardInput is the FILE of --config for standard input.
const standardInput = "-"

// config loads the configuration of --config.
func (p process) config(file string) (config.Config, error) {
	switch file {
	case "":
		return config.Config{}, usageError(errors.New("--config FILE is missing, and there is no " + localConfig +
			" here: calfacade init writes one"))
	case standardInput:
		data, err := io.ReadAll(p.stdin)
		if err != nil {
			return config.Config{}, fmt.Errorf("reading the configuration: %w", err)
		}
		return config.Parse("standard input", data, p.env)
	}
	return config.Load(file, p.env)
}

// Where the configuration is without --config and [config.FileVariable].
const (
	localConfig  = "calfacade.yaml" // in the working directory
	systemConfig = "/etc/calfacade/config.yaml"
)

// configFlag defines --config. The default is the file in [config.FileVariable], or else the first file that
// exists.
func configFlag(p process, c *cobra.Command, file *string, purpose string) {
	c.Flags().StringVar(file, "config", "", "`FILE` of the configuration"+purpose+"; - is standard input (default $"+config.FileVariable+
		", "+localConfig+", or "+systemConfig+")")
	c.PreRun = func(*cobra.Command, []string) {
		if *file == "" {
			*file = p.findConfig()
		}
	}
}

// findConfig returns the file of the configuration without --config; "" if no default file exists.
func (p process) findConfig() string {
	for _, variable := range p.env {
		if name, ok := strings.CutPrefix(variable, config.FileVariable+"="); ok {
			return name
		}
	}
	for _, name := range []string{localConfig, systemConfig} {
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return ""
}
