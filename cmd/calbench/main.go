// Command calbench compares calfacade with other servers, and prints the report of BENCHMARKS.md.
//
//	go run ./cmd/calbench [-only hits,misses,...] [-seconds 2] [-runs 5]
//
// Calbench builds calfacade, and starts and stops every server, on loopback and free ports. wrk is required.
// The report names which of nginx, varnishd, haproxy, redis-server, h2load and taskset are not installed, and
// omits their rows. A row that fails shows the error, and the exit status is 1. Linux is required, for /proc.
//
// Server, load and origin share one core, and the rows of a group run one after the other in each round: a ratio is the median
// of the ratios within a round. Start reading at rows.go, the table of measurements.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program. The result is the exit status; 2 is for bad arguments.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var err error
	if len(args) > 0 && roles[args[0]] != nil {
		err = roles[args[0]](ctx, args[1:])
	} else {
		s, wrong := parse(args, stderr)
		if wrong != nil {
			return 2
		}
		err = bench(ctx, s, stdout, stderr)
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "calbench:", err)
		return 1
	}
	return 0
}

// settings are the values of the flags.
type settings struct {
	groups  []group
	seconds time.Duration // of each row in each round
	runs    int           // rounds
}

func parse(args []string, stderr io.Writer) (s settings, err error) {
	f := flag.NewFlagSet("calbench", flag.ContinueOnError)
	f.SetOutput(stderr)
	only := f.String("only", "", "`groups` to measure, with commas; all by default")
	seconds := f.Int("seconds", 2, "`seconds` of each row in each round")
	f.IntVar(&s.runs, "runs", 5, "rounds")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	s.seconds = time.Duration(*seconds) * time.Second
	s.groups = slices.DeleteFunc(slices.Clone(groups), func(g group) bool {
		return *only != "" && !slices.Contains(strings.Split(*only, ","), g.name)
	})
	if s.seconds < time.Second || s.runs < 1 || f.NArg() > 0 || len(s.groups) == 0 {
		f.Usage()
		err = errors.New("bad arguments")
	}
	return s, err
}

// bench measures the groups, and prints the report. If ctx ends, bench stops after the current group.
func bench(ctx context.Context, s settings, stdout, stderr io.Writer) (err error) {
	m, err := newMachine(stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b := &lab{settings: s, machine: m, opened: map[string]opened{}, tags: map[string]string{}}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	writeHead(stdout, s)
	failed := 0
	for _, g := range s.groups {
		_, _ = fmt.Fprintln(stderr, g.title)
		t := b.measure(ctx, g)
		t.write(stdout)
		failed += t.failed
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d measurements failed; the report has the others", failed)
	}
	return nil
}

// writeHead writes the head of the report: the machine, the method and the programs that are not installed.
func writeHead(w io.Writer, s settings) {
	_, _ = fmt.Fprintf(w, "# Benchmarks\n\nWritten by `go run ./cmd/calbench`, %s UTC. The machine: %s, %d cores, %s; load average %s.\n",
		time.Now().UTC().Format(time.DateTime), inFile("/proc/cpuinfo", `model name\s*:(.*)`), runtime.NumCPU(), runtime.Version(),
		inFile("/proc/loadavg", `(\S+)`))
	_, _ = fmt.Fprintf(w, "Each figure is the median of %d rounds of %s. CPU × is the median of the ratios to the first row of a body.\n",
		s.runs, s.seconds)
	for _, program := range []string{"taskset", nginx, varnish, haproxy, redisServer, h2load} {
		if !installed(program) {
			_, _ = fmt.Fprintf(w, "%s is not installed: its rows are missing.\n", program)
		}
	}
}
