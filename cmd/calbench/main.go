// Command calbench compares the facade with other servers, and writes BENCHMARKS.md.
//
//	go run ./cmd/calbench [-only hits,misses,...] [-seconds 2] [-runs 5]
//
// It starts every server itself, on loopback and free ports, and stops it. wrk is
// required. It reports which of nginx, varnishd, haproxy, redis-server and taskset are not
// installed, and omits their rows. A row that fails says so, and the exit code is 1 after
// the report is written. It needs Linux, for /proc.
//
// Server and load share one core, and the rows of a group run one after the other in each
// round: a ratio is the median of the ratios within a round. Read rows.go first, the table
// of measurements; roles.go has this program's own servers, which it starts with another
// first argument.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// settings are the values of the flags.
type settings struct {
	only    []string      // groups; nil for all
	seconds time.Duration // of each row in each round
	runs    int           // rounds
	output  string        // file of the report; "" for none
}

// run is the program; 2 is the code for bad arguments. The environment is only
// what the servers inherit.
func run(ctx context.Context, args, _ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var err error
	if role := roleOf(args); role != nil {
		err = role(ctx, process{args[1:], stdin, stdout, stderr})
	} else {
		var s settings
		if s, err = parse(args, stderr); err == nil {
			err = bench(ctx, s, stdout, stderr)
		}
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		return 2
	}
	_, _ = fmt.Fprintln(stderr, "calbench:", err)
	return 1
}

var errUsage = errors.New("bad arguments")

func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	f := flag.NewFlagSet("calbench", flag.ContinueOnError)
	f.SetOutput(stderr)
	only := f.String("only", "", "`groups` to measure, with commas: "+strings.Join(groupNames(), ","))
	seconds := f.Int("seconds", 2, "`seconds` of each row in each round, 1 to 60")
	f.IntVar(&s.runs, "runs", 5, "rounds, 1 to 50")
	f.StringVar(&s.output, "o", "", "`file` of the report (default BENCHMARKS.md; none with -only)")
	if err := f.Parse(args); err != nil || f.NArg() > 0 {
		return s, errUsage
	}
	if *seconds < 1 || *seconds > 60 || s.runs < 1 || s.runs > 50 {
		_, _ = fmt.Fprintln(stderr, "calbench: -seconds or -runs is out of range")
		return s, errUsage
	}
	s.seconds = time.Duration(*seconds) * time.Second
	if *only != "" {
		s.only = strings.Split(*only, ",")
	} else if s.output == "" {
		s.output = "BENCHMARKS.md"
	}
	return s, s.known(stderr)
}

func (s settings) known(stderr io.Writer) error {
	for _, name := range s.only {
		if !slices.Contains(groupNames(), name) {
			_, _ = fmt.Fprintf(stderr, "calbench: no group %q; there are %s\n", name, strings.Join(groupNames(), ", "))
			return errUsage
		}
	}
	return nil
}

func (s settings) wants(group string) bool { return len(s.only) == 0 || slices.Contains(s.only, group) }
