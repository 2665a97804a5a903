package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
)

func warmCommand(p process) *cobra.Command {
	var f surveyFlags
	c := &cobra.Command{
		Use:     "warm [--config FILE]",
		Short:   "Fill the cache of a running instance",
		GroupID: groupInstance,
		Long: `Requests everything public from the instance that runs with the configuration: all lists, and all
items of these. Run it again at any time: responses in the cache cost the site nothing.

Exit status: 0 on success; 1 if calls failed, or if the instance does not respond; 2 if the
arguments are wrong.`,
		Example: `calfacade warm --config config.yaml
calfacade warm --config config.yaml --languages es,de --rate 50
calfacade warm --config config.yaml --url https://api.example.org`,
		Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error { return warm(c.Context(), p, f) },
	}
	f.define(p, c)
	f.defineURL(c)
	return c
}

// warm is the command: it fills the cache of a running instance, and prints the counts.
func warm(ctx context.Context, p process, f surveyFlags) error {
	warmed, err := f.warm(ctx, p)
	if err = p.print(f.json, warmed, err, warmed.Print); err == nil && warmed.Failed > 0 {
		return errProblems
	}
	return err
}

// warm requests everything public from the instance that the flags name.
func (f *surveyFlags) warm(ctx context.Context, p process) (warmed survey.Warmed, err error) {
	v, err := f.visit(p, "calfacade warm")
	if err != nil {
		return warmed, err
	}
	w := survey.Warmer{Client: v.client, Languages: v.languages, Rate: f.rate}
	warmed, err = w.Run(ctx, p.stderr)
	if errors.Is(err, survey.ErrNoFacade) {
		err = fmt.Errorf("%s: %w: is it running? --url sets another address", v.base, err)
	}
	return warmed, err
}
