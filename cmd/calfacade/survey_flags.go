package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// surveyFlags are the flags of the commands that read lists and items.
type surveyFlags struct {
	config    string
	languages string
	rate      float64
	json      bool
	base      string // URL of the instance; "" is listen of the configuration
}

func (f *surveyFlags) define(p process, c *cobra.Command) {
	configFlag(p, c, &f.config, "")
	c.Flags().StringVar(&f.languages, "languages", "", "comma-separated `CODES` of the languages; all by default")
	c.Flags().Float64Var(&f.rate, "rate", 20, "maximum `CALLS` per second to a site; 0 disables the limit")
	jsonFlag(c, &f.json)
}

// defineURL defines the flag of the commands that call an instance.
func (f *surveyFlags) defineURL(c *cobra.Command) {
	c.Flags().StringVar(&f.base, "url", "", "`URL` of the instance, or of a cache in front of it; by default listen of the configuration")
}

// choose checks the flags, and returns the languages of --languages, or all that may returns true for,
// in the order of the configuration.
func (f *surveyFlags) choose(configured []string, may func(string) bool) ([]string, error) {
	if f.rate < 0 {
		return nil, errors.New("--rate must not be negative")
	}
	codes := strings.Split(f.languages, ",")
	for _, code := range codes {
		switch {
		case f.languages == "":
		case !slices.Contains(configured, code):
			return nil, fmt.Errorf("%q is not one of the configured languages", code)
		case !may(code):
			return nil, fmt.Errorf("the candidate has no upstream for %q", code)
		}
	}
	return slices.DeleteFunc(slices.Clone(configured), func(code string) bool {
		return !may(code) || f.languages != "" && !slices.Contains(codes, code)
	}), nil
}

// visit is a running facade, for the commands that call it.
type visit struct {
	config    config.Config
	base      string // URL of the instance, or of a cache in front
	languages []string
	client    *survey.Client
}

// visit returns the facade of the flags.
func (f *surveyFlags) visit(p process, agent string) (v visit, err error) {
	if v.config, err = p.config(f.config); err != nil {
		return v, err
	}
	if v.languages, err = f.choose(v.config.Languages.Codes(), func(string) bool { return true }); err != nil {
		return v, usageError(err)
	}
	if v.base, err = facadeURL(f.base, v.config); err != nil {
		return v, usageError(err)
	}
	v.client = &survey.Client{
		Roots:   publicRoots(v.base, v.config),
		Agent:   agent,
		HTTP:    survey.NewHTTP(v.config.WriteTimeout()), // longer than the facade takes at most
		MaxBody: 2 * upstream.DefaultMaxBody,             // neutral names are longer than the site's
	}
	return v, nil
}

// publicRoots returns the roots of the languages at a facade.
func publicRoots(base string, c config.Config) []rewrite.RootURLs {
	roots := make([]rewrite.RootURLs, len(c.Languages))
	for i, l := range c.Languages {
		roots[i] = rewrite.RootURLs{Language: l.Code, Public: base + l.Root}
	}
	return roots
}

// facadeURL returns the URL of the instance: from the flag, or from the listener in the configuration.
func facadeURL(flag string, c config.Config) (string, error) {
	switch {
	case flag != "":
		flag = strings.TrimSuffix(flag, "/")
		reason := config.URLProblem(flag)
		if reason != "" {
			return "", fmt.Errorf("--url %s", reason)
		}
		return flag, nil
	case c.TLS.CertFile != "":
		return "", errors.New("the instance uses TLS: set --url to the name of its certificate")
	}
	return adminURL(c.Listen), nil
}
