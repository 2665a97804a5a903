package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// diffFlags are the flags of "calfacade diff".
type diffFlags struct {
	surveyFlags
	candidate string
	sample    int
	out       string
}

func diffCommand(p process) *cobra.Command {
	var f diffFlags
	c := &cobra.Command{
		Use:     "diff --config FILE --candidate NAME",
		Short:   "Compare everything public on another backend with the site",
		GroupID: groupInspect,
		Long: `Reads all lists and items from both sites, as many calls a second as --rate permits, and prints
what differs. It calls the sites themselves, so no instance need run. With --out it also writes
report.html, report.json and report.csv. The same command continues an interrupted run.`,
		Example: `calfacade diff --config config.yaml --candidate new --out report
# A first look, at some 20 items of each list in Spanish:
calfacade diff --config config.yaml --candidate new --languages es --sample 20`,
		Annotations: map[string]string{exitsAnnotation: "0 if they are the same, but for known differences; 1 if they differ; 3 if calls failed, or there is no result"},
		Args:        exactly(0),
		RunE:        func(c *cobra.Command, _ []string) error { return diff(c.Context(), p, f) },
	}
	f.define(p, c)
	return c
}

func (f *diffFlags) define(p process, c *cobra.Command) {
	f.surveyFlags.define(p, c)
	set := c.Flags()
	set.StringVar(&f.candidate, "candidate", "", "`NAME` of the backend to compare with the legacy site")
	complete(c, "candidate", p.candidates)
	set.IntVar(&f.sample, "sample", 0, "read about `N` items of each list, always the same ones; 0 reads all. Lists are always read completely")
	set.StringVar(&f.out, "out", "", "`DIR` for report.html, report.json and report.csv, which replace those of an earlier run")
	complete(c, "out", directories)
}

// candidates completes the name of a backend.
func (p process) candidates(c *cobra.Command, _ []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	if cfg, err := p.configured(c); err == nil {
		for _, b := range cfg.Backends {
			names = append(names, b.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (f *diffFlags) check() error {
	switch {
	case f.candidate == "":
		return errors.New("--candidate NAME is missing")
	case f.candidate == upstream.LegacyName:
		return errors.New("the candidate must not be the legacy site")
	case f.sample < 0:
		return errors.New("--sample must not be negative")
	}
	return f.surveyFlags.check()
}

// diff compares another backend with the legacy site, and writes the report. Its error is
// noVerdict if it cannot decide whether they are the same.
func diff(ctx context.Context, p process, f diffFlags) error {
	found, err := f.compare(ctx, p)
	err = p.print(f.json, diffReport{Report: found}, err, func(io.Writer) error { return found.Print(terminal.Paint(p.stdout, p.env, diffStyle)) })
	if _, ok := errors.AsType[usageError](err); ok {
		return err
	}
	if err != nil {
		return noVerdict{err}
	}
	if f.out != "" {
		if err := found.Save(f.out); err != nil {
			return noVerdict{err}
		}
	}
	switch found.Verdict {
	case survey.Differs:
		return errProblems
	case survey.Unproven:
		return noVerdict{fmt.Errorf("no difference, but %d calls or lists could not be compared", found.Sum().Failed)}
	}
	return nil
}

// diffReport is what "calfacade diff --json" prints.
type diffReport struct {
	Error string `json:"error"` // see failure
	survey.Report
}
