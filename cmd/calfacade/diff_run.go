package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

func (f *diffFlags) compare(ctx context.Context, p process) (found survey.Report, err error) {
	if err := f.check(); err != nil {
		return found, usageError{err: err}
	}
	cfg, err := p.config(f.config)
	if err != nil {
		return found, err
	}
	facade := proxy.New(options(cfg, zap.NewNop()))
	defer facade.Close()
	d, err := f.differ(cfg, facade)
	if err != nil {
		return found, usageError{err: err}
	}
	if err := f.reach(ctx, d); err != nil {
		return found, err
	}
	if f.out != "" {
		if d.Journal, err = survey.OpenJournal(f.out, f.hashOf(cfg)); err != nil {
			return found, err
		}
	}
	found, err = d.Run(ctx, f.progress(p))
	found.Candidate, found.Sample, found.Made = f.candidate, f.sample, time.Now().UTC().Format(time.RFC3339)
	return found, errors.Join(err, d.Journal.Close(err == nil))
}

// differ compares the backends of a facade. Its errors are about flags.
func (f *diffFlags) differ(cfg config.Config, facade *proxy.Facade) (*survey.Comparison, error) {
	rules, err := cfg.Staging.Compare.Comparer()
	if err != nil {
		panic("BUG: the rules were validated: " + err.Error())
	}
	legacy, err := facade.Reader(upstream.LegacyName)
	if err != nil {
		panic("BUG: there is always a legacy: " + err.Error())
	}
	candidate, err := facade.Reader(f.candidate)
	if err != nil {
		return nil, err
	}
	languages, err := f.choose(cfg.Codes(), candidate.HasLanguage)
	if err != nil {
		return nil, err
	}
	d := &survey.Comparison{
		Legacy: f.reader(legacy), Candidate: f.reader(candidate),
		Rules: rules, Languages: languages, Sample: f.sample, Concurrency: f.concurrency,
		CandidateID: idsOf(cfg, f.candidate).There,
	}
	if cfg.PublicURL != "" {
		d.URL = survey.NewLinks(publicRoots(cfg.PublicURL, cfg)).Of
	}
	return d, nil
}

// idsOf returns the ids of a backend; nil for those of the legacy.
func idsOf(cfg config.Config, name string) *mapping.IDs {
	for _, b := range cfg.Backends {
		if b.Name == name {
			return b.ItemIDs()
		}
	}
	return nil
}

// hashOf returns a hash of everything that a comparison depends on: the flags, a configuration without its
// secrets, and its files of ids.
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
		name string
		read survey.Reader
	}{{"the legacy site", d.Legacy}, {"the candidate " + f.candidate, d.Candidate}} {
		_, err := backend.read(ctx, mapping.SmallestList(), d.Languages[0])
		if kind := upstream.KindOf(err); kind != upstream.Connect && kind != upstream.Timeout {
			continue
		}
		if e, ok := errors.AsType[*problem.Error](err); ok {
			err = cmp.Or(e.Err, err)
		}
		return fmt.Errorf("%s does not respond in %q: %w", backend.name, d.Languages[0], err)
	}
	return nil
}
