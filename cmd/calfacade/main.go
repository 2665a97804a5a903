// Command calfacade serves the neutral calendar namespace in front of a legacy
// site.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// net/http logs unsolicited responses of a site verbatim, secrets included.
	log.SetOutput(io.Discard)
	os.Exit(run(untilSignal(), os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// untilSignal returns a context that ends with the first SIGINT or SIGTERM. A second
// signal ends the process at once.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals) // before ctx ends, so that a second signal has its default effect
		cancel()
	}()
	return ctx
}

// Exit statuses. A check that finds problems exits with exitFail.
const (
	exitOK    = 0
	exitFail  = 1
	exitUsage = 2

	exitNoVerdict = 3 // of a comparison that could not compare everything
)

// command is a subcommand. run returns the error to print, if any.
type command struct {
	name, usage string
	run         func(ctx context.Context, p process) error
}

func commands() []command {
	return []command{
		{"serve", "--config FILE [--replay DIR]      serve the API", serve},
		{"record", "--config FILE --out DIR          serve the API, and record the responses of the site", record},
		{"demo", "[--listen ADDRESS] [--redis URL]   serve the API in front of a fictional site, without any setup", demo},
		{"check", "--config FILE [--json]            check the configuration and the root of each language", check},
		{"explain", "--config FILE [--json] GET '/path?query' show the upstream call of a request, without sending it", explain},
		{"purge", "--config FILE ...                 purge the cache of a running instance", purge},
		{"stage", "--config FILE [--to STATE] ...    show or change which backend serves which requests", stage},
		{"diff", "--config FILE --candidate NAME ...  compare another backend with the legacy site", diff},
		{"warm", "--config FILE [--url URL] ...      fill the cache of a running instance", warm},
		{"openapi", "[--lang CODE] [--yaml]          print the OpenAPI document", openAPI},
		{"version", "                                print the version", version},
	}
}

// run runs a command until it is done or ctx ends, and returns the exit status.
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

func usage(w io.Writer) {
	_, _ = fmt.Fprintln(w, "calfacade serves the API calendar/events/v1 in front of a WordPress site with The Events Calendar.\n\nCommands:")
	for _, c := range commands() {
		_, _ = fmt.Fprintf(w, "  %s %s\n", c.name, c.usage)
	}
}
