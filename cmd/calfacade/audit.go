package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/audit"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/usage"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// auditFlags are the flags of "calfacade audit".
type auditFlags struct {
	surveyFlags
	base   string
	sample int
	wait   time.Duration
	ignore []string
}

func auditCommand(p process) *cobra.Command {
	f := auditFlags{surveyFlags: surveyFlags{concurrency: 1}}
	c := &cobra.Command{
		Use:     "audit --config FILE",
		Short:   "Compare cached answers of a running instance with the site",
		GroupID: groupInspect,
		Long: `Requests a random sample of lists, and of the items that the instance or the site shows in them, from
the instance that runs with the configuration, and compares the answers that come from a cache with
the site. An answer is stale if it differs from two reads of the site, and is still sent after
--wait. With --url it sees what clients see behind a CDN or another cache. It needs no admin.token,
unless there is a candidate: then it asks the instance which site serves what.`,
		Example: `calfacade audit --config config.yaml
calfacade audit --config config.yaml --sample 1000 --rate 50
# Through the CDN:
calfacade audit --config config.yaml --url https://api.example.org --json`,
		Annotations: map[string]string{usage.Exits: "0 if no answer is stale; 1 if one is; 3 if calls failed, or there is no result"},
		Args:        exactly(0),
		RunE:        func(c *cobra.Command, _ []string) error { return auditOnce(c.Context(), p, f) },
	}
	configFlag(c, &f.config, " of the running instance")
	set := c.Flags()
	set.IntVar(&f.sample, "sample", 100, "audit about `N` answers")
	set.DurationVar(&f.wait, "wait", 5*time.Second, "`TIME` that the purge of a change may take")
	set.StringSliceVar(&f.ignore, "ignore", nil, "comma-separated `PATHS` that are not compared, such as events[].views")
	set.StringVar(&f.base, "url", "", "`URL` of the instance, or of a cache in front of it; by default listen of the configuration")
	set.StringVar(&f.languages, "languages", "", "comma-separated `CODES` of the languages; all by default")
	complete(c, "languages", listOf(p.languages))
	set.Float64Var(&f.rate, "rate", 20, "maximum `CALLS` per second to a site, those that the instance makes for the audit included; 0 disables the limit")
	jsonFlag(c, &f.json)
	return c
}

// auditReport is what "calfacade audit --json" prints.
type auditReport struct {
	Error string `json:"error"` // see failure
	audit.Result
}

// auditOnce audits a sample, and prints what it found.
func auditOnce(ctx context.Context, p process, f auditFlags) error {
	found, err := f.run(ctx, p)
	err = p.print(f.json, auditReport{Result: found}, err, func(out io.Writer) error { return found.Print(out) })
	_, misused := errors.AsType[usageError](err)
	switch {
	case misused:
		return err
	case err != nil:
		return noVerdict{err}
	case found.Stale > 0:
		return errProblems
	case found.Failed > 0:
		return noVerdict{fmt.Errorf("no stale answer, but %d calls failed, the first: %s", found.Failed, found.Failure)}
	case found.Audited == 0 && found.Uncertain > 0 && found.NotCached == 0:
		return noVerdict{errors.New("a canary serves the lists from either site: which site an answer is of is not certain")}
	case found.Audited == 0:
		return noVerdict{errors.New("no answer of the sample came from a cache: does the instance have traffic?")}
	}
	return nil
}

func (f *auditFlags) run(ctx context.Context, p process) (found audit.Result, err error) {
	switch {
	case f.sample < 1:
		return found, usageError{err: errors.New("--sample must be at least 1")}
	case f.wait < 0:
		return found, usageError{err: errors.New("--wait must not be negative")}
	}
	if err := f.check(); err != nil {
		return found, usageError{err: err}
	}
	cfg, err := p.config(f.config)
	if err != nil {
		return found, err
	}
	comparer, err := compare.Rules{Ignore: f.ignore, Mask: compare.Default().Mask}.Compile()
	if err != nil {
		return found, usageError{err: fmt.Errorf("--ignore: %w", err)}
	}
	languages, err := f.choose(cfg.Codes(), func(string) bool { return true })
	if err != nil {
		return found, usageError{err: err}
	}
	base, err := facadeURL(f.base, cfg)
	if err != nil {
		return found, usageError{err: err}
	}
	facade := proxy.New(options(cfg, zap.NewNop()))
	defer facade.Close()
	site, err := sites(ctx, cfg, facade)
	if err != nil {
		return found, err
	}
	check := audit.Check{
		Instance:  audit.NewClient(publicRoots(base, cfg), 2*(cfg.Upstream.Timeout+cfg.Upstream.QueueTimeout)+30*time.Second, 2*int64(cfg.Upstream.MaxBody)),
		Site:      site,
		Languages: languages, Sample: f.sample, Wait: f.wait, Comparer: comparer,
		Random: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), // #nosec G404 -- selects a sample
	}
	if f.rate > 0 {
		check.Limit = rate.NewLimiter(rate.Limit(f.rate), 1)
	}
	return check.Run(ctx)
}

// sites returns the function that finds the backend which serves the reads of a resource in a language.
// Its readers have no limit.
func sites(ctx context.Context, cfg config.Config, facade *proxy.Facade) (func(resource, language string) survey.Reader, error) {
	var unlimited surveyFlags
	reader := func(name string) survey.Reader {
		r, err := facade.Reader(name)
		if err != nil {
			panic("BUG: the name was validated: " + err.Error())
		}
		return unlimited.reader(r)
	}
	legacy := reader(upstream.LegacyName)
	if cfg.Staging.Candidate == "" {
		return func(string, string) survey.Reader { return legacy }, nil
	}
	matrix, err := new(stageRequest).send(ctx, cfg)
	if err != nil {
		return nil, err
	}
	candidate := reader(cfg.Staging.Candidate)
	return func(resource, language string) survey.Reader {
		for _, c := range matrix.Cells {
			if c.Op != staging.Read || c.Resource != resource || c.Language != language {
				continue
			}
			switch c.Share() {
			case 0:
				return legacy
			case 100:
				return candidate
			}
			return nil
		}
		return legacy // the candidate does not have the language
	}, nil
}
