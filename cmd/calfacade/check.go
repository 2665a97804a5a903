package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/probe"
)

func checkCommand(p process) *cobra.Command {
	var file, replayed string
	var asJSON bool
	c := &cobra.Command{
		Use:     "check [--config FILE]",
		Short:   "Find faults of a configuration, and of the site and the Redis that it names",
		GroupID: groupInspect,
		Long: `For the root of each language, check reports whether the site is reachable, redirects, has the
plugin, and has the right time, and finds out what selects the language. It connects to Redis,
reads and writes. Each problem comes with what to do about it.

Exit status: 0 on success; 1 if it found a problem; 2 if the arguments are wrong.`,
		Example: `calfacade check --config config.yaml
# For programs:
calfacade check --config config.yaml --json
# Without the site, from what "calfacade record" has recorded:
calfacade check --config config.yaml --replay recording`,
		Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error { return check(c.Context(), p, file, replayed, asJSON) },
	}
	configFlag(p, c, &file, "")
	jsonFlag(c, &asJSON)
	c.Flags().StringVar(&replayed, "replay", "", "`DIR` of a recording to check in place of the site")
	return c
}

func check(ctx context.Context, p process, file, replayed string, asJSON bool) error {
	report, err := p.examine(ctx, file, replayed)
	if asJSON {
		return cmp.Or(p.printJSON(report, err), report.verdict())
	}
	if err != nil {
		return err
	}
	for _, warning := range report.Warnings {
		_, _ = fmt.Fprintln(p.stderr, "warning:", warning)
	}
	return cmp.Or(report.print(terminal.Writer{Writer: p.stdout}), report.verdict())
}

// checkReport has what "calfacade check --json" prints.
type checkReport struct {
	Warnings []string        `json:"warnings"`
	Roots    []probe.Finding `json:"roots"` // a REST root each
	Redis    *redisReport    `json:"redis"` // null if none is configured
}

// checkLine is a line of the report about something.
type checkLine struct {
	name string
	text string
	kind lineKind
}

type lineKind int

const (
	factLine lineKind = iota
	noteLine
	problemLine
)

func (l checkLine) String() string { return l.name + ": " + l.text }

// linesOf returns the lines about something.
func linesOf(name string, problems, notes []string) (all []checkLine) {
	for _, text := range problems {
		all = append(all, checkLine{name, text, problemLine})
	}
	for _, text := range notes {
		all = append(all, checkLine{name, "note: " + text, noteLine})
	}
	return all
}

// lines returns what was found out about the roots and Redis. What holds for several roots is one line.
func (r checkReport) lines() (all []checkLine) {
	for _, f := range r.Roots {
		for _, line := range linesOf(f.Name(), f.Problems, f.Notes) {
			if i := slices.IndexFunc(all, func(l checkLine) bool { return l.text == line.text }); i >= 0 {
				all[i].name += ", " + line.name
				continue
			}
			all = append(all, line)
		}
	}
	if redis := r.Redis; redis != nil {
		if redis.Servers > 0 {
			all = append(all, checkLine{name: "redis", text: fmt.Sprintf(
				"servers: %d, version: %s, maxmemory-policy: %s, an answer takes %s",
				redis.Servers, cmp.Or(redis.Version, "-"), cmp.Or(redis.Policy, "-"), redis.RoundTrip.Round(10*time.Microsecond))})
		}
		all = append(all, linesOf("redis", redis.Problems, redis.Notes)...)
	}
	return all
}

// count returns the number of lines of a kind.
func (r checkReport) count(kind lineKind) (n int) {
	for _, line := range r.lines() {
		if line.kind == kind {
			n++
		}
	}
	return n
}

// verdict returns errProblems if the facade cannot serve as configured.
func (r checkReport) verdict() error {
	if r.count(problemLine) > 0 {
		return errProblems
	}
	return nil
}

// summary returns the last line of the report.
func (r checkReport) summary() string {
	var languages []string
	for _, f := range r.Roots {
		languages = append(languages, f.Language)
	}
	slices.Sort(languages)
	text := "ready: " + english.Plural(len(slices.Compact(languages)), "language", "")
	if n := r.count(problemLine); n > 0 {
		text = "not ready: " + english.Plural(n, "problem", "")
	}
	if n := r.count(noteLine); n > 0 {
		text += ", " + english.Plural(n, "note", "")
	}
	return text + "\n"
}

// print prints a table of the roots, the lines and the verdict.
func (r checkReport) print(w io.Writer) error {
	rows := [][]string{{"LANGUAGE", "UPSTREAM", "REACHABLE", "REDIRECTS", "NAMESPACE", "PLUGIN", "CLOCK", "AUTH"}}
	for _, f := range r.Roots {
		rows = append(rows, []string{f.Name(), f.Upstream, yesNo(f.Reachable), f.Redirects, yesNo(f.Namespace), yesNo(f.Plugin), f.Zone,
			strings.Join(f.Auth, ",")})
	}
	if err := terminal.Table(w, rows); err != nil {
		return err
	}
	text := ""
	for _, line := range r.lines() {
		text += line.String() + "\n"
	}
	_, err := io.WriteString(w, text+"\n"+r.summary())
	return err
}

// examine checks the configuration, what it names, and the sites, or in their place a
// recording.
func (p process) examine(ctx context.Context, file, replayed string) (checkReport, error) {
	report := checkReport{Warnings: []string{}, Roots: []probe.Finding{}}
	cfg, err := p.config(file)
	if err != nil {
		return report, err
	}
	report.Warnings = append(report.Warnings, cfg.Warnings()...)
	warning, err := checkCertificate(cfg.TLS, time.Now())
	if err != nil {
		return report, err
	}
	if warning != "" {
		report.Warnings = append(report.Warnings, warning)
	}
	t, err := replaying(replayed)(cfg, zap.NewNop())
	if err != nil {
		return report, err
	}
	if cfg, err = t.use(cfg); err != nil {
		return report, err
	}
	o := options(cfg, zap.NewNop())
	o.Upstream.Wrap = t.wrap
	report.Roots = proxy.New(o).Probe(ctx)
	if replayed == "" && len(cfg.Cache.Redis) > 0 {
		r, err := redisstore.Open(redisOptions(cfg.Cache))
		if err != nil {
			return report, err
		}
		defer func() { _ = r.Close() }()
		report.Redis = checkRedis(ctx, r)
	}
	return report, nil
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
