package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
)

// process is the environment of a command.
type process struct {
	args   []string
	env    []string
	stdout io.Writer
	stderr io.Writer
}

// anyNumber of arguments, but at least one.
const anyNumber = -1

// flags parses the flags of a command, and returns the arguments behind them, of which
// there must be more.
func (p process) flags(name string, more int, define func(*flag.FlagSet)) ([]string, error) {
	set := flag.NewFlagSet("calfacade "+name, flag.ContinueOnError)
	set.SetOutput(p.stderr)
	define(set)
	switch err := set.Parse(p.args); {
	case errors.Is(err, flag.ErrHelp):
		return nil, err
	case err != nil:
		return nil, usageError{}
	case more == anyNumber && set.NArg() == 0:
		return nil, usageError{errors.New("want an argument after the flags")}
	case more != anyNumber && set.NArg() != more:
		return nil, usageError{fmt.Errorf("want %d arguments after the flags, got %d", more, set.NArg())}
	}
	return set.Args(), nil
}

// printJSON prints v on several lines.
func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// config loads the configuration of --config.
func (p process) config(file string) (config.Config, error) {
	if file == "" {
		return config.Config{}, usageError{errors.New("--config FILE is missing")}
	}
	return config.Load(file, p.env)
}

// usageError is the error of wrong arguments. Without an err, package flag has printed
// it.
type usageError struct{ err error }

func (e usageError) Error() string { return "usage" }

// noVerdict is the error of a comparison that did not complete.
type noVerdict struct{ error }

// errProblems is the error of a command that has printed its problems itself.
var errProblems = errors.New("")
