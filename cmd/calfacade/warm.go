package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

func warmCommand(p process) *cobra.Command {
	var f surveyFlags
	var base string
	c := &cobra.Command{
		Use:     "warm --config FILE",
		Short:   "Fill the cache of a running instance",
		GroupID: groupInstance,
		Long: `Requests everything public from the instance that runs with the configuration: all lists, and all
items of these. Run it again at any time: responses in the cache cost the site nothing.`,
		Example: `calfacade warm --config config.yaml
calfacade warm --config config.yaml --languages es,de --rate 50
calfacade warm --config config.yaml --url https://api.example.org`,
		Annotations: map[string]string{exits: "0; 1 if calls failed, or if the instance does not respond"},
		Args:        exactly(0),
		RunE:        func(c *cobra.Command, _ []string) error { return warm(c.Context(), p, f, base) },
	}
	f.define(p, c)
	c.Flags().StringVar(&base, "url", "", "`URL` of the instance; by default listen of the configuration")
	return c
}

// warm requests everything that is public from a running instance, which fills its
// cache.
func warm(ctx context.Context, p process, f surveyFlags, base string) error {
	if err := f.check(); err != nil {
		return usageError{err: err}
	}
	cfg, err := p.config(f.config)
	if err != nil {
		return err
	}
	languages, err := f.choose(cfg.Codes(), func(string) bool { return true })
	if err != nil {
		return usageError{err: err}
	}
	if base, err = facadeURL(base, cfg); err != nil {
		return usageError{err: err}
	}
	w := survey.NewWarmer(survey.WarmOptions{
		Roots:       publicRoots(base, cfg),
		Timeout:     2*(cfg.Upstream.Timeout+cfg.Upstream.QueueTimeout) + 30*time.Second, // longer than the facade takes at most
		MaxBody:     2 * int64(cfg.Upstream.MaxBody),                                     // neutral names are longer than those of the site
		Rate:        f.rate,
		Concurrency: f.concurrency,
	})
	err = w.Run(ctx, languages, p.stderr)
	if errors.Is(err, survey.ErrNoFacade) {
		err = fmt.Errorf("%s: %w: is it running? --url sets another address", base, err)
	}
	if w.Responded() {
		err = errors.Join(err, w.Print(p.stdout))
	}
	if w.Failed > 0 {
		err = errors.Join(err, errProblems)
	}
	return err
}

// publicRoots returns the roots of the languages at a facade.
func publicRoots(base string, c config.Config) []rewrite.Root {
	roots := make([]rewrite.Root, len(c.Languages))
	for i, l := range c.Languages {
		roots[i] = rewrite.Root{Language: l.Code, Public: base + l.Root}
	}
	return roots
}

// facadeURL returns the URL of the instance: of the flag, or of its listener.
func facadeURL(flag string, c config.Config) (string, error) {
	switch {
	case flag != "":
		flag = strings.TrimSuffix(flag, "/")
		if reason := config.URLProblem(flag); reason != "" {
			return "", fmt.Errorf("--url %s", reason)
		}
		return flag, nil
	case c.TLS.CertFile != "":
		return "", errors.New("the instance uses TLS: set --url to the name of its certificate")
	}
	return adminURL(c.Listen), nil
}
