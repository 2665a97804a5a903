package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// settings are the values of the flags.
type settings struct {
	only    []string      // groups; nil for all
	seconds time.Duration // of each row in each round
	runs    int           // rounds
	output  string        // file of the report; "" for none
}

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
