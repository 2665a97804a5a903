package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// auditFlags are the flags of "calfacade audit".
type auditFlags struct {
	surveyFlags
	listen         string
	sample         int
	wait, interval time.Duration
	ignore         []string
}

func auditCommand(p process) *cobra.Command {
	var f auditFlags
	c := &cobra.Command{
		Use:     "audit [--config FILE]",
		Short:   "Compare cached answers of a running instance with the site",
		GroupID: groupInspect,
		Long: `Requests a random sample of lists, and of the items that the instance or the site shows in them, from
the instance that runs with the configuration, and compares the answers that come from a cache with
the site. An answer is stale if it differs from two reads of the site, and is still sent after
--wait. With --url it sees what clients see behind a CDN or another cache. It needs no admin.token,
unless there is a candidate: then it asks the instance which site serves what. Calls that the
instance makes to a site for the audit count for --rate. With --every it goes on until it is stopped,
and serves the result of the last audit to Prometheus.

Exit status: 0 if no answer is stale, or when --every is stopped; 1 if one is; 2 if the arguments
are wrong; 3 if calls failed, or there is no result.`,
		Example: `calfacade audit --config config.yaml
calfacade audit --config config.yaml --sample 1000 --rate 50
# Through the CDN:
calfacade audit --config config.yaml --url https://api.example.org --json
calfacade audit --config config.yaml --url https://api.example.org --every 1m`,
		Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error { return f.audit(c.Context(), p) },
	}
	f.define(p, c)
	f.defineURL(c)
	set := c.Flags()
	set.IntVar(&f.sample, "sample", 100, "audit about `N` answers")
	set.DurationVar(&f.wait, "wait", 5*time.Second, "`TIME` that the purge of a change may take")
	set.DurationVar(&f.interval, "every", 0, "audit again after this `TIME`, until stopped; 0s audits once")
	set.StringVar(&f.listen, "listen", "127.0.0.1:9091", "`ADDRESS` of /metrics with --every")
	set.StringSliceVar(&f.ignore, "ignore", nil, "comma-separated `MEMBERS` that are not compared, such as events.views")
	return c
}

const auditHelp = "Answers of the last audit by result: same as the site, stale, not_cached, changed meanwhile, " +
	"uncertain (lists that a canary serves) or failed."

// audit audits once, or until ctx ends.
func (f *auditFlags) audit(ctx context.Context, p process) error {
	if f.interval <= 0 {
		_, err := f.once(ctx, p)
		return err
	}
	l, err := service.Listen(ctx, f.listen)
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	answers := promauto.With(registry).NewGaugeVec(prometheus.GaugeOpts{Name: "calfacade_audit_answers", Help: auditHelp},
		[]string{"result"})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	defer server.Close()
	go func() { _ = server.Serve(l) }()
	for {
		result, err := f.once(ctx, p)
		if exit, ok := errors.AsType[exitError](err); ok && exit.status == exitUsage {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
		for result, n := range result.Counts() {
			answers.WithLabelValues(result).Set(float64(n))
		}
		if err != nil && !errors.Is(err, errProblems) {
			_, _ = fmt.Fprintln(p.stderr, err)
		}
		if !upstream.Sleep(ctx, f.interval) {
			return nil
		}
	}
}

// once audits a sample, and prints the result.
func (f *auditFlags) once(ctx context.Context, p process) (result survey.AuditResult, err error) {
	if result, err = f.run(ctx, p); err != nil {
		result.Failed = max(1, result.Failed)
	}
	err = p.print(f.json, result, err, result.Print)
	switch {
	case err != nil:
		return result, noVerdict(err)
	case result.Stale > 0:
		return result, errProblems
	case result.Failed > 0:
		return result, noVerdict(fmt.Errorf("no stale answer, but %d calls failed, the first: %s", result.Failed, result.Failure))
	case result.Audited == 0:
		const format = "nothing was compared: %d answers came from no cache (does the instance have traffic?), a canary serves %d lists"
		return result, noVerdict(fmt.Errorf(format, result.NotCached, result.Uncertain))
	}
	return result, nil
}

// run audits a sample.
func (f *auditFlags) run(ctx context.Context, p process) (result survey.AuditResult, err error) {
	switch {
	case f.sample < 1:
		return result, usageError(errors.New("--sample must be at least 1"))
	case f.wait < 0 || f.interval < 0:
		return result, usageError(errors.New("--wait and --every must not be negative"))
	}
	visit, err := f.visit(p, "calfacade audit")
	if err != nil {
		return result, err
	}
	comparer, err := compare.Rules{Ignore: f.ignore}.Compile()
	if err != nil {
		return result, usageError(fmt.Errorf("--ignore: %w", err))
	}
	facade := proxy.New(service.FacadeOptions(visit.config, zap.NewNop()))
	defer facade.Close()
	site, err := sites(ctx, visit.config, facade)
	if err != nil {
		return result, err
	}
	a := survey.Auditor{
		Facade: visit.client.Get, Site: site, Languages: visit.languages, Sample: f.sample, Wait: f.wait, Comparer: comparer, Rate: f.rate,
	}
	return a.Run(ctx)
}

// sites returns a function that returns the reader of the backend which serves the reads of a resource in a language:
// nil where a canary serves a share of them. The readers have no limit of calls a second.
func sites(ctx context.Context, cfg config.Config, facade *proxy.Facade) (func(resource, language string) survey.Reader, error) {
	legacy := survey.Paced(facade.Reader(upstream.LegacyName).Read, 0)
	if cfg.Staging.Candidate == "" {
		return func(string, string) survey.Reader { return legacy }, nil
	}
	matrix, err := sendStage(ctx, cfg, fleet.Change{})
	if err != nil {
		return nil, err
	}
	share := map[string]int{} // of the candidate, in percent; 0 for languages that the candidate does not serve
	for _, c := range matrix.Cells {
		if c.Op == staging.Read {
			share[c.Resource+" "+c.Language] = c.Share()
		}
	}
	readers := map[int]survey.Reader{0: legacy, 100: survey.Paced(facade.Reader(cfg.Staging.Candidate).Read, 0)}
	return func(resource, language string) survey.Reader { return readers[share[resource+" "+language]] }, nil
}
