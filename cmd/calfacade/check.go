package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/probe"
)

func check(ctx context.Context, p process) error {
	var file, replayed string
	var asJSON bool
	if _, err := p.flags("check", 0, func(f *flag.FlagSet) {
		f.StringVar(&file, "config", "", "`FILE` of the configuration")
		f.BoolVar(&asJSON, "json", false, "print JSON")
		f.StringVar(&replayed, "replay", "", "`DIR` of a recording to check in place of the site")
	}); err != nil {
		return err
	}
	cfg, err := p.config(file)
	if err != nil {
		return err
	}
	for _, warning := range cfg.Warnings() {
		_, _ = fmt.Fprintln(p.stderr, "warning:", warning)
	}
	if err := checkCertificate(cfg.TLS, time.Now()); err != nil {
		return err
	}
	t, err := replaying(replayed)(cfg, zap.NewNop())
	if err != nil {
		return err
	}
	if cfg, err = t.of(cfg); err != nil {
		return err
	}
	o := options(cfg, zap.NewNop())
	o.Upstream.Wrap = t.wrap
	o.Freshness = freshnessOptions(cfg.Cache)
	findings := proxy.New(o).Probe(ctx)
	if asJSON {
		encoder := json.NewEncoder(p.stdout)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(findings)
	} else {
		err = printFindings(p.stdout, findings)
	}
	if err != nil {
		return err
	}
	for _, f := range findings {
		if !f.OK() {
			return errProblems
		}
	}
	return nil
}

func printFindings(w io.Writer, findings []probe.Finding) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "LANGUAGE\tUPSTREAM\tREACHABLE\tREDIRECTS\tNAMESPACE\tPLUGIN\tCLOCK\tAUTH")
	for _, f := range findings {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.Name(), f.Upstream, yesNo(f.Reachable),
			terminal.OrDash(f.Redirects), yesNo(f.Namespace), yesNo(f.Plugin), terminal.OrDash(f.Zone), terminal.OrDash(strings.Join(f.Auth, ",")))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := printLanguages(w, findings); err != nil {
		return err
	}
	for _, f := range findings {
		lines := slices.Clone(f.Problems)
		for _, note := range f.Notes {
			lines = append(lines, "note: "+note)
		}
		for _, line := range lines {
			if _, err := fmt.Fprintf(w, "%s: %s\n", f.Name(), line); err != nil {
				return err
			}
		}
	}
	return nil
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
