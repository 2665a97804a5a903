// Command legacysim serves a stand-in for the legacy site, for demos, tests
// and benchmarks. The content is in memory and made up; see package sim.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// shutdownGrace is how long requests in flight may take after a signal.
const shutdownGrace = 5 * time.Second

// run serves until ctx ends and returns the exit code: 2 for bad arguments.
// The environment is not read; the parameter makes that visible.
func run(ctx context.Context, args, _ []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("legacysim", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "127.0.0.1:8081", "`address` to listen on; the passwords are public, so keep it local")
	site := flags.String("site", "", "`URL` that links start with (default http://<listen address>)")
	events := flags.Int("events", 0, "`number` of made-up events beside the seed, over all languages")
	setup := setupFlags(flags)
	var languages sim.LanguageMode
	modes := fmt.Sprint(sim.LanguageModes)
	usage := "how the site keeps its languages, instead of a site for each: `MODE` is one of " + modes
	flags.Func("languages", usage, func(mode string) error {
		languages = sim.LanguageMode(mode)
		if !slices.Contains(sim.LanguageModes, languages) {
			return errors.New("want one of " + modes)
		}
		return nil
	})
	neutral := flags.Bool("neutral", false, "speak calendar/events/v1, and not tribe/events/v1")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *events < 0 {
		_, _ = fmt.Fprintln(stderr, "legacysim: -events may not be negative")
		return 2
	}
	if languages != sim.Apart && *events > maxShared {
		_, _ = fmt.Fprintln(stderr, "legacysim: with -languages there are no more than", maxShared, "-events")
		return 2
	}
	options := sim.Options{Site: *site, Events: *events, Setup: *setup, Languages: languages}
	if err := serve(ctx, *listen, options, *neutral, stdout); err != nil {
		_, _ = fmt.Fprintln(stderr, "legacysim:", err)
		return 1
	}
	return 0
}

// maxShared is how many events languages of one WordPress have room for: ids of each
// begin 20,000 behind the one before.
const maxShared = 60_000

func serve(ctx context.Context, listen string, options sim.Options, neutral bool, stdout io.Writer) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if options.Site == "" {
		options.Site = "http://" + l.Addr().String()
	}
	site := sim.New(options)
	namespace := "tribe/events/v1"
	handler := http.Handler(site)
	if neutral {
		namespace = "calendar/events/v1"
		handler = site.Neutral()
	}
	srv := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
	}
	done := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
		defer cancel()
		done <- srv.Shutdown(grace)
	}()
	_, _ = fmt.Fprintf(stdout, "legacysim: %s%s/%s on %s\n", options.Site, options.Setup.Root(), namespace, l.Addr())
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return <-done
}
