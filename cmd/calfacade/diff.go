package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/problem"
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
		Use:     "diff [--config FILE] --candidate NAME",
		Short:   "Compare everything public on another backend with the site",
		GroupID: groupInspect,
		Long: `Reads all lists and items from both sites, as many calls a second as --rate permits, and prints
what differs. It calls the sites themselves, so no instance need run. With --out it also writes
report.html and report.json. The same command continues an interrupted run.

Exit status: 0 if they are the same, but for known differences; 1 if they differ; 2 if the
arguments are wrong; 3 if calls failed, or there is no result.`,
		Example: `calfacade diff --config config.yaml --candidate new --out report
# A first look, at some 20 items of each list in Spanish:
calfacade diff --config config.yaml --candidate new --languages es --sample 20`,
		Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error { return diff(c.Context(), p, f) },
	}
	f.define(p, c)
	set := c.Flags()
	set.StringVar(&f.candidate, "candidate", "", "`NAME` of the backend to compare with the legacy site")
	set.IntVar(&f.sample, "sample", 0, "read about `N` items of each list, always the same ones; 0 reads all. Lists are always read "+
		"completely")
	set.StringVar(&f.out, "out", "", "`DIR` for report.html and report.json, which replace the files of an earlier run")
	return c
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
	return nil
}

// diff compares another backend with the legacy site, and writes the report.
func diff(ctx context.Context, p process, f diffFlags) error {
	report, err := f.compare(ctx, p)
	err = p.print(f.json, report, err, report.Print)
	if err == nil && f.out != "" {
		err = report.Save(f.out)
	}
	switch {
	case err != nil:
		return noVerdict(err)
	case report.Verdict == survey.Differs:
		return errProblems
	case report.Verdict == survey.Unproven:
		return noVerdict(fmt.Errorf("no difference, but %d calls or lists could not be compared", report.Sum().Failed))
	}
	return nil
}

func (f *diffFlags) compare(ctx context.Context, p process) (report survey.DiffReport, err error) {
	if err := f.check(); err != nil {
		return report, usageError(err)
	}
	cfg, err := p.config(f.config)
	if err != nil {
		return report, err
	}
	facade := proxy.New(service.FacadeOptions(cfg, zap.NewNop()))
	defer facade.Close()
	d, err := f.differ(cfg, facade)
	if err != nil {
		return report, usageError(err)
	}
	if err := f.reach(ctx, d); err != nil {
		return report, err
	}
	if f.out != "" {
		if d.Journal, err = survey.OpenJournal(f.out, f.hashOf(cfg)); err != nil {
			return report, err
		}
	}
	report, err = d.Run(ctx, p.stderr)
	report.Candidate = f.candidate
	report.Sample = f.sample
	report.Made = time.Now().UTC().Format(time.RFC3339)
	return report, errors.Join(err, d.Journal.Close(err == nil))
}

// differ compares the backends of a facade. The errors are about flags.
func (f *diffFlags) differ(cfg config.Config, facade *proxy.Facade) (*survey.Comparison, error) {
	rules, err := cfg.Comparer(f.candidate)
	if err != nil {
		panic("BUG: the rules were validated: " + err.Error())
	}
	legacy := facade.Reader(upstream.LegacyName)
	candidate := facade.Reader(f.candidate)
	if candidate == nil {
		return nil, fmt.Errorf("there is no backend %q", f.candidate)
	}
	languages, err := f.choose(cfg.Languages.Codes(), candidate.HasLanguage)
	if err != nil {
		return nil, err
	}
	d := &survey.Comparison{
		Legacy: survey.Paced(legacy.Read, f.rate), Candidate: survey.Paced(candidate.Read, f.rate),
		Rules: rules, Languages: languages, Sample: f.sample,
		CandidateID: cfg.Backend(f.candidate).ItemIDs().There,
	}
	if cfg.PublicURL != "" {
		d.Facade = publicRoots(cfg.PublicURL, cfg)
	}
	return d, nil
}

// hashOf returns a hash of everything that a comparison depends on: the flags, a configuration without
// secrets, and the files of ids.
func (f *diffFlags) hashOf(cfg config.Config) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%q %s %s %d", config.Effective(cfg), f.candidate, f.languages, f.sample) // a hash never fails
	for _, b := range cfg.Backends {
		_, _ = fmt.Fprintf(h, " %q", b.ItemIDs().String())
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// reach calls both backends once, and returns an error if one does not respond at all: each
// call of the comparison would fail in the same way.
func (f *diffFlags) reach(ctx context.Context, d *survey.Comparison) error {
	if len(d.Languages) == 0 {
		return nil
	}
	for _, backend := range []struct {
		name   string
		reader survey.Reader
	}{{"the legacy site", d.Legacy}, {"the candidate " + f.candidate, d.Candidate}} {
		_, err := backend.reader(ctx, mapping.SmallestList(), d.Languages[0])
		kind := upstream.KindOf(err)
		if kind != upstream.Connect && kind != upstream.Timeout {
			continue
		}
		if e, ok := errors.AsType[*problem.Error](err); ok {
			err = cmp.Or(e.Err, err)
		}
		return fmt.Errorf("%s does not respond in %q: %w", backend.name, d.Languages[0], err)
	}
	return nil
}
