// Command calfacade serves the neutral calendar namespace in front of a legacy
// site.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// net/http tells it what a site sent without being asked, word for word.
	log.SetOutput(io.Discard)
	os.Exit(run(untilSignal(), os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// untilSignal ends with the first SIGINT or SIGTERM; a second ends the process at
// once.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals) // before anybody can see that ctx has ended
		cancel()
	}()
	return ctx
}

// Exit statuses. A check that finds problems fails.
const (
	exitOK    = 0
	exitFail  = 1
	exitUsage = 2

	exitNoVerdict = 3 // of a comparison that did not see everything
)

// process is what a command has of the world outside.
type process struct {
	args   []string
	env    []string
	stdout io.Writer
	stderr io.Writer
}

// command is one subcommand; run returns the error to print, if any.
type command struct {
	name, usage string
	run         func(ctx context.Context, p process) error
}

func commands() []command {
	return []command{
		{"serve", "--config FILE [--replay DIR]      serve the facade", serve},
		{"record", "--config FILE --out DIR          serve it, and keep what the legacy answers", record},
		{"demo", "[--listen ADDRESS] [--redis URL]   serve it before a made-up site, with nothing installed", demo},
		{"check", "--config FILE [--json]            ask each language's root of the legacy what stands there", check},
		{"explain", "--config FILE 'GET /path?query' tell what a request would become, sending nothing", explain},
		{"purge", "--config FILE ...                 have a facade that runs forget answers", purge},
		{"stage", "--config FILE [--to STATE] ...    tell, or change, which site answers what", stage},
		{"diff", "--config FILE --candidate NAME ...  compare what another backend shows with the legacy", diff},
		{"warm", "--config FILE [--url URL] ...      ask a facade that runs for all it shows, to fill its cache", warm},
		{"openapi", "[--lang CODE] [--yaml]          print the documentation of the interface", openAPI},
		{"version", "                                print the version", version},
	}
}

// errProblems says that a command has printed what is wrong itself.
var errProblems = errors.New("")

// run runs one command until it is done or ctx ends, and gives the exit status.
func run(ctx context.Context, args, env []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stderr)
		return exitUsage
	}
	for _, c := range commands() {
		if c.name != args[0] {
			continue
		}
		err := c.run(ctx, process{args[1:], env, stdout, stderr})
		return exitStatus(stderr, c.name, err)
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		usage(stdout)
		return exitOK
	}
	_, _ = fmt.Fprintf(stderr, "calfacade: no command %q\n", args[0])
	usage(stderr)
	return exitUsage
}

func exitStatus(stderr io.Writer, name string, err error) int {
	var bad usageError
	var unproven noVerdict
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &bad):
		if bad.err != nil {
			_, _ = fmt.Fprintf(stderr, "calfacade %s: %v\n", name, bad.err)
		}
		return exitUsage
	case errors.As(err, &unproven):
		_, _ = fmt.Fprintf(stderr, "calfacade %s: %v\n", name, err)
		return exitNoVerdict
	case !errors.Is(err, errProblems):
		_, _ = fmt.Fprintf(stderr, "calfacade %s: %v\n", name, err)
	}
	return exitFail
}

// usageError is a command that was called wrongly. Without an err the flag
// package has told what is wrong.
type usageError struct{ err error }

func (e usageError) Error() string { return "usage" }

// noVerdict is a comparison that cannot tell whether there is a difference.
type noVerdict struct{ error }

func usage(w io.Writer) {
	_, _ = fmt.Fprintln(w, "calfacade serves the calendar namespace calendar/events/v1 before a legacy site.\n\nCommands:")
	for _, c := range commands() {
		_, _ = fmt.Fprintf(w, "  %s %s\n", c.name, c.usage)
	}
}

// flags parses a command's flags; more is how many arguments follow them.
func (p process) flags(name string, more int, define func(*flag.FlagSet)) ([]string, error) {
	set := flag.NewFlagSet("calfacade "+name, flag.ContinueOnError)
	set.SetOutput(p.stderr)
	define(set)
	switch err := set.Parse(p.args); {
	case errors.Is(err, flag.ErrHelp):
		return nil, err
	case err != nil:
		return nil, usageError{}
	case set.NArg() != more:
		return nil, usageError{fmt.Errorf("want %d arguments after the flags, got %d", more, set.NArg())}
	}
	return set.Args(), nil
}

// configFlag is a command's --config.
func (p process) config(file string) (config.Config, error) {
	if file == "" {
		return config.Config{}, usageError{errors.New("--config FILE is missing")}
	}
	return config.Load(file, p.env)
}
