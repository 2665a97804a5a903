// Command calbench compares the facade with other servers, and writes BENCHMARKS.md.
//
//	go run ./cmd/calbench [-only hits,misses,...] [-seconds 2] [-runs 5]
//
// It starts every server itself, on loopback and free ports, and stops it. wrk is
// required. It reports which of nginx, varnishd, haproxy, caddy (with its module
// cache-handler), redis-server, h2load and taskset are not
// installed, and omits their rows. A row that fails says so, and the exit code is 1 after
// the report is written. It needs Linux, for /proc.
//
// Server and load share one core, and the rows of a group run one after the other in each
// round: a ratio is the median of the ratios within a round. Read rows.go first, the table
// of measurements, then bench.go; roles.go lists the servers of this program, which it starts with another
// first argument.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
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
