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

	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
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
		if err := p.printJSON(report, err); err != nil {
			return err
		}
		return report.verdict()
	}
	if err != nil {
		return err
	}
	for _, warning := range report.Warnings {
		_, _ = fmt.Fprintln(p.stderr, "warning:", warning)
	}
	if err := report.print(terminal.Writer{Writer: p.stdout}); err != nil {
		return err
	}
	return report.verdict()
}

// checkReport is the output of "calfacade check --json".
type checkReport struct {
	Warnings []string             `json:"warnings"`
	Roots    []probe.Finding      `json:"roots"` // a REST root each
	Redis    *service.RedisReport `json:"redis"` // null without Redis
}

// checkLine is a line of the report about one subject.
type checkLine struct{ name, text string }

func (l checkLine) String() string { return l.name + ": " + l.text }

// merge adds texts about a subject to lines. A text about several subjects becomes one line.
func merge(lines []checkLine, name, prefix string, texts []string) []checkLine {
	for _, text := range texts {
		text = prefix + text
		i := slices.IndexFunc(lines, func(l checkLine) bool { return l.text == text })
		if i >= 0 {
			lines[i].name += ", " + name
			continue
		}
		lines = append(lines, checkLine{name: name, text: text})
	}
	return lines
}

// lines returns the problems of the roots and Redis, and the notes about them.
func (r checkReport) lines() (problems, notes []checkLine) {
	const note = "note: "
	for _, f := range r.Roots {
		problems = merge(problems, f.Name(), "", f.Problems)
		notes = merge(notes, f.Name(), note, f.Notes)
	}
	if r.Redis != nil {
		problems = merge(problems, "redis", "", r.Redis.Problems)
		notes = merge(notes, "redis", note, r.Redis.Notes)
	}
	return problems, notes
}

// verdict returns errProblems if the facade cannot serve as configured.
func (r checkReport) verdict() error {
	problems, _ := r.lines()
	if len(problems) > 0 {
		return errProblems
	}
	return nil
}

// summary returns the last line of the report.
func (r checkReport) summary(problems, notes int) string {
	var languages []string
	for _, f := range r.Roots {
		languages = append(languages, f.Language)
	}
	slices.Sort(languages)
	text := "ready: " + english.Plural(len(slices.Compact(languages)), "language", "")
	if problems > 0 {
		text = "not ready: " + english.Plural(problems, "problem", "")
	}
	if notes > 0 {
		text += ", " + english.Plural(notes, "note", "")
	}
	return text + "\n"
}

// print prints a table of the roots, the report of Redis, the lines and the verdict.
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
	redis := r.Redis
	if redis != nil && redis.Servers > 0 {
		text = fmt.Sprintf("redis: servers: %d, version: %s, maxmemory-policy: %s, an answer takes %s\n",
			redis.Servers, cmp.Or(redis.Version, "-"), cmp.Or(redis.Policy, "-"), redis.RoundTrip.Round(10*time.Microsecond))
	}
	problems, notes := r.lines()
	for _, line := range slices.Concat(problems, notes) {
		text += line.String() + "\n"
	}
	_, err := io.WriteString(w, text+"\n"+r.summary(len(problems), len(notes)))
	return err
}

// examine checks the configuration, the files that the keys name, and the sites, or a recording instead of
// the sites.
func (p process) examine(ctx context.Context, file, replayed string) (checkReport, error) {
	report := checkReport{Warnings: []string{}, Roots: []probe.Finding{}}
	cfg, err := p.config(file)
	if err != nil {
		return report, err
	}
	report.Warnings = append(report.Warnings, cfg.Warnings()...)
	warning, err := service.CheckCertificate(cfg.TLS, time.Now())
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
	o := service.FacadeOptions(cfg, zap.NewNop())
	o.Upstream.Wrap = t.wrap
	if cfg.Cache.SiteZone != "" {
		service.FixZone(cfg.Cache.SiteZone, &o)
	}
	report.Roots = proxy.New(o).Probe(ctx)
	if replayed == "" && len(cfg.Cache.Redis) > 0 {
		if report.Redis, err = service.CheckRedis(ctx, cfg.Cache); err != nil {
			return report, err
		}
	}
	return report, nil
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
