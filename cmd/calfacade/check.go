package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/probe"
)

func checkCommand(p process) *cobra.Command {
	var file, replayed string
	var asJSON bool
	c := &cobra.Command{
		Use:     "check --config FILE",
		Short:   "Find what is wrong with a configuration, and with the site and the Redis that it names",
		GroupID: groupInspect,
		Long: `For the root of each language, check reports whether the site is reachable, redirects, has the
plugin, and has the right time, and finds out what selects the language. It connects to Redis,
reads and writes. It connects to each target of edge.purge, and sends nothing. Each problem comes
with what to do about it.`,
		Example: `calfacade check --config config.yaml
# For programs:
calfacade check --config config.yaml --json
# Without the site, from what "calfacade record" has recorded:
calfacade check --config config.yaml --replay recording`,
		Annotations: map[string]string{exitsAnnotation: "0 on success; 1 if it found a problem"},
		Args:        exactly(0),
		RunE:        func(c *cobra.Command, _ []string) error { return check(c.Context(), p, file, replayed, asJSON) },
	}
	configFlag(c, &file, "")
	jsonFlag(c, &asJSON)
	c.Flags().StringVar(&replayed, "replay", "", "`DIR` of a recording to check in place of the site")
	complete(c, "replay", directories)
	return c
}

func check(ctx context.Context, p process, file, replayed string, asJSON bool) error {
	report, err := p.examine(ctx, file, replayed)
	if asJSON {
		if err != nil {
			report.Error = err.Error()
		}
		return cmp.Or(err, printJSON(p.stdout, report), report.verdict())
	}
	if err != nil {
		return err
	}
	for _, warning := range report.Warnings {
		_, _ = fmt.Fprintln(p.stderr, "warning:", warning)
	}
	out := terminal.Paint(p.stdout, p.env, checkStyle(report))
	return cmp.Or(printFindings(out, report.Roots), printRedis(out, report.Redis), printEdge(out, report.Edge), report.verdict())
}

// checkReport has what "calfacade check --json" prints.
type checkReport struct {
	Error    string             `json:"error"` // why nothing could be checked, such as a fault of the configuration; "" for none
	Warnings []string           `json:"warnings"`
	Roots    []probe.Finding    `json:"roots"` // a REST root each
	Redis    *redisstore.Report `json:"redis"` // null if none is configured
	Edge     *edgeReport        `json:"edge"`  // null if caches in front get nothing
}

// edgeReport is the section edge, and what was found out about its targets.
type edgeReport struct {
	Tags     string    `json:"tags"`
	Prefix   string    `json:"prefix"`
	Lifetime string    `json:"lifetime"`
	Purge    []reached `json:"purge"`
}

func (r *edgeReport) ok() bool {
	return r == nil || !slices.ContainsFunc(r.Purge, func(t reached) bool { return len(t.Problems) > 0 })
}

// verdict returns errProblems if the facade cannot serve as configured.
func (r checkReport) verdict() error {
	bad := r.Redis != nil && len(r.Redis.Problems) > 0
	if bad || !r.Edge.ok() || slices.ContainsFunc(r.Roots, func(f probe.Finding) bool { return !f.OK() }) {
		return errProblems
	}
	return nil
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
	if cfg, err = t.of(cfg); err != nil {
		return report, err
	}
	o := options(cfg, zap.NewNop())
	o.Upstream.Wrap = t.wrap
	o.Freshness = freshnessOptions(cfg.Cache)
	report.Roots = proxy.New(o).Probe(ctx)
	if replayed == "" {
		report.Edge = checkEdge(ctx, cfg)
		report.Redis, err = checkRedis(ctx, cfg.Cache)
	}
	return report, err
}

// checkEdge returns nil if caches in front get nothing.
func checkEdge(ctx context.Context, c config.Config) *edgeReport {
	e := c.Edge
	if !c.Cache.Enabled || !e.Surrogate().Active() && len(e.Purge) == 0 {
		return nil
	}
	r := &edgeReport{Tags: e.Tags, Prefix: e.Prefix, Lifetime: e.Lifetime, Purge: []reached{}}
	for _, t := range e.Targets() {
		r.Purge = append(r.Purge, reach(ctx, t))
	}
	return r
}

// edgeName returns the name of a target in the report: no language has such a name.
func edgeName(t reached) string { return "edge.purge " + t.Name }

func printEdge(w io.Writer, r *edgeReport) error {
	if r == nil {
		return nil
	}
	_, err := fmt.Fprintf(w, "edge: tags: %s, prefix: %s, lifetime: %s\n", r.Tags, terminal.OrDash(r.Prefix), r.Lifetime)
	for _, t := range r.Purge {
		lines := t.Problems
		if t.Connect > 0 {
			lines = []string{fmt.Sprintf("type: %s, host: %s, a connection takes %s", t.Kind, t.Host, t.Connect.Round(10*time.Microsecond))}
		}
		err = cmp.Or(err, printLines(w, edgeName(t), lines, t.Notes))
	}
	return err
}

// checkRedis returns nil if the configuration has no Redis.
func checkRedis(ctx context.Context, c config.Cache) (*redisstore.Report, error) {
	if !c.Enabled || len(c.Redis) == 0 {
		return nil, nil
	}
	r, err := redisstore.Open(redisOptions(c))
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return r.Check(ctx), nil
}

func printRedis(w io.Writer, r *redisstore.Report) error {
	if r == nil {
		return nil
	}
	var lines []string
	if r.Servers > 0 {
		lines = append(lines, fmt.Sprintf("servers: %d, version: %s, maxmemory-policy: %s, an answer takes %s",
			r.Servers, terminal.OrDash(r.Version), terminal.OrDash(r.Policy), r.RoundTrip.Round(10*time.Microsecond)))
	}
	return printLines(w, "redis", slices.Concat(lines, r.Problems), r.Notes)
}

// printLines prints problems and notes, a line each.
func printLines(w io.Writer, name string, problems, notes []string) error {
	lines := slices.Clone(problems)
	for _, note := range notes {
		lines = append(lines, "note: "+note)
	}
	for _, line := range lines {
		if _, err := fmt.Fprintf(w, "%s: %s\n", name, line); err != nil {
			return err
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
		if err := printLines(w, f.Name(), f.Problems, f.Notes); err != nil {
			return err
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

// printLanguages prints the lists by which the check found out what selects the
// language, and a configuration that works.
func printLanguages(w io.Writer, findings []probe.Finding) error {
	if !slices.ContainsFunc(findings, func(f probe.Finding) bool { return len(f.Tried) > 0 }) {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "\nLANGUAGE\tLIST BY\tUPSTREAM\tITEMS\tPAGES IN\tSAME AS")
	for _, f := range findings {
		for _, a := range f.Tried {
			_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", f.Name(), wayOf(a), a.Upstream, countOf(a),
				terminal.OrDash(languagesOf(a)), terminal.OrDash(strings.Join(a.SameAs, ",")))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, workingConfig(findings))
	return err
}

// wayOf returns how a list was requested.
func wayOf(a probe.TriedList) string {
	switch a.By {
	case i18n.ByParameter:
		return a.Param
	case i18n.ByBoth:
		return "path, " + a.Param
	}
	return "path"
}

func countOf(a probe.TriedList) string {
	return cmp.Or(a.Error, fmt.Sprint(a.Total))
}

// languagesOf returns the languages of the pages of the first items.
func languagesOf(a probe.TriedList) string {
	var counts []string
	for _, code := range slices.Sorted(maps.Keys(a.Languages)) {
		counts = append(counts, fmt.Sprintf("%s %d", code, a.Languages[code]))
	}
	return strings.Join(counts, ", ")
}

// workingConfig returns what works as YAML; "" if nothing does.
func workingConfig(findings []probe.Finding) string {
	var lines, params []string
	for _, f := range findings {
		if f.Works == nil {
			continue
		}
		lines = append(lines, fmt.Sprintf("  - {code: %s, root: %q, upstream: %q, select: %s}\n", f.Language, f.Works.Root,
			f.Works.Upstream, f.Works.Select))
		if f.Works.LanguageParam != "" && !slices.Contains(params, f.Works.LanguageParam) {
			params = append(params, f.Works.LanguageParam)
		}
	}
	if len(lines) == 0 {
		return "\nNo setting that was tried selects the language.\n"
	}
	return fmt.Sprintf("\nThese settings select the language:\n\nupstream: {language_param: %q}\nlanguages:\n%s",
		strings.Join(params, ""), strings.Join(lines, ""))
}

// reached has the findings of check about a target of edge.purge. Texts contain no secret.
type reached struct {
	Name     string        `json:"name"`
	Kind     onward.Kind   `json:"type"`
	Host     string        `json:"host"`       // with its port
	Connect  time.Duration `json:"connect_ns"` // how long a connection took, with TLS; 0 if there is none
	Problems []string      `json:"problems"`   // purges do not arrive
	Notes    []string      `json:"notes"`
}

// reach connects to a target, for https with TLS, and sends nothing: a request may purge something, or
// count.
func reach(ctx context.Context, t onward.Target) reached {
	t = t.WithDefaults()
	u, err := url.Parse(t.URL)
	if err != nil {
		panic("BUG: the URL was validated")
	}
	dial, port := new(net.Dialer).DialContext, "80"
	if u.Scheme == "https" {
		dial, port = (&tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12}}).DialContext, "443"
	}
	r := reached{t.Name, t.Kind, net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port)), 0, []string{}, []string{}}
	if proxied, err := http.ProxyFromEnvironment(&http.Request{URL: u}); proxied != nil || err != nil {
		r.Notes = append(r.Notes, "is called through the proxy that the environment names: not checked")
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	began := time.Now()
	connection, err := dial(ctx, "tcp", r.Host)
	if err != nil {
		r.Problems = append(r.Problems, "not reachable: "+err.Error())
		return r
	}
	r.Connect = time.Since(began)
	_ = connection.Close()
	return r
}
