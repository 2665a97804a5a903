package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/proxy/staging"
)

// stageRequest is the body of POST /staging. Lists that are nil mean all.
type stageRequest struct {
	Methods   []string `json:"methods,omitempty"`
	Resources []string `json:"resources,omitempty"`
	Languages []string `json:"languages,omitempty"`
	staging.Setting
	Who   string `json:"who,omitempty"`
	Why   string `json:"why,omitempty"`
	Force bool   `json:"force,omitempty"`
}

// stage tells of the matrix of a facade that is running, after a change if one is
// wanted.
func stage(ctx context.Context, p process) error {
	var file, to string
	var body stageRequest
	if _, err := p.flags("stage", 0, func(f *flag.FlagSet) {
		f.StringVar(&file, "config", "", "`FILE` of the configuration that the facade runs with")
		listFlag(f, &body.Methods, "methods", "`LIST` of read and write, with commas between; none is both")
		listFlag(f, &body.Resources, "resources", "`LIST` of resources, such as events,venues; none is all")
		listFlag(f, &body.Languages, "languages", "`LIST` of codes; none is all that the candidate has")
		f.StringVar(&to, "to", "", "`STATE`: legacy, shadow, 'canary 10%', new or new_with_fallback; none changes nothing")
		f.StringVar(&body.Who, "who", "", "`NAME` of who wants it; none is admin")
		f.StringVar(&body.Why, "why", "", "`TEXT` that tells why")
		f.BoolVar(&body.Force, "force", false, "also where clients would write to one site and read from the other")
	}); err != nil {
		return err
	}
	if err := body.read(to); err != nil {
		return usageError{err}
	}
	cfg, err := p.config(file)
	if err != nil {
		return err
	}
	s, err := body.send(ctx, cfg)
	if err != nil {
		return err
	}
	return body.print(p.stdout, s)
}

// listFlag defines a flag that takes a list. An empty one is told apart from none,
// which means all.
func listFlag(f *flag.FlagSet, list *[]string, name, usage string) {
	f.Func(name, usage, func(text string) error {
		*list = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		if len(*list) == 0 {
			return errors.New("it is empty")
		}
		return nil
	})
}

// read reads a state, "" being that nothing is to be changed.
func (r *stageRequest) read(to string) error {
	if to == "" {
		if r.Who != "" || r.Why != "" || r.Force {
			return errors.New("--who, --why and --force want --to")
		}
		return nil
	}
	setting, err := staging.ParseSetting(to)
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	r.Setting = setting
	return nil
}

// send calls the admin listener and gives the matrix as it is then.
func (r *stageRequest) send(ctx context.Context, cfg config.Config) (staging.Snapshot, error) {
	method, body := http.MethodGet, any(nil)
	if r.State != "" {
		method, body = http.MethodPost, r
	}
	var s staging.Snapshot
	err := callAdmin(ctx, cfg, method, "/staging", body, &s, func() bool { return s.Candidate != "" })
	return s, err
}

// print writes a table of the part that the request means.
func (r *stageRequest) print(out io.Writer, s staging.Snapshot) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(t, "RESOURCE\tLANGUAGE\tMETHOD\tSTATE\tFAILED\tDIFFER\tSINCE\tBY\n") // Flush tells
	for i := range s.Cells {
		c := &s.Cells[i]
		if !has(r.Methods, string(c.Op)) || !has(r.Resources, c.Resource) || !has(r.Languages, c.Language) {
			continue
		}
		by := c.Who
		if c.Why != "" {
			by += ": " + c.Why
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Resource, c.Language, c.Op, c.Setting,
			part(c.Failures, c.Calls), part(c.Different, c.Compared), c.Since.UTC().Format(time.DateTime), terminal.Escape(by))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "candidate %s, rolled back %d times, times are UTC\n", s.Candidate, s.Rollbacks)
	return err
}

func has(list []string, name string) bool { return list == nil || slices.Contains(list, name) }

func part(n, of uint64) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", n, of)
}
