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

// stageRequest is the body of POST /staging. A nil list matches all.
type stageRequest struct {
	Methods   []string `json:"methods,omitempty"`
	Resources []string `json:"resources,omitempty"`
	Languages []string `json:"languages,omitempty"`
	staging.Setting
	Who   string `json:"who,omitempty"`
	Why   string `json:"why,omitempty"`
	Force bool   `json:"force,omitempty"`
}

// stage prints the staging matrix of a running instance, after changing it if --to is
// set.
func stage(ctx context.Context, p process) error {
	var file, to string
	var body stageRequest
	if _, err := p.flags("stage", 0, func(f *flag.FlagSet) {
		f.StringVar(&file, "config", "", "`FILE` of the configuration of the running instance")
		listFlag(f, &body.Methods, "methods", "comma-separated `LIST` of read and write; both by default")
		listFlag(f, &body.Resources, "resources", "comma-separated `LIST` of resources, such as events,venues; all by default")
		listFlag(f, &body.Languages, "languages", "comma-separated `LIST` of codes; by default all languages of the candidate")
		f.StringVar(&to, "to", "", "new `STATE`: legacy, shadow, 'canary 10%', new or new_with_fallback; without it nothing changes")
		f.StringVar(&body.Who, "who", "", "`NAME` for the log; admin by default")
		f.StringVar(&body.Why, "why", "", "reason for the log, a `TEXT`")
		f.BoolVar(&body.Force, "force", false, "accept that clients write to one site and read from the other")
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

// listFlag defines a flag with a list. An empty list is an error, because no list
// matches all.
func listFlag(f *flag.FlagSet, list *[]string, name, usage string) {
	f.Func(name, usage, func(text string) error {
		*list = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		if len(*list) == 0 {
			return errors.New("the list is empty")
		}
		return nil
	})
}

// read parses a state; "" changes nothing.
func (r *stageRequest) read(to string) error {
	if to == "" {
		if r.Who != "" || r.Why != "" || r.Force {
			return errors.New("--who, --why and --force require --to")
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

// send calls the admin listener, and returns the resulting matrix.
func (r *stageRequest) send(ctx context.Context, cfg config.Config) (staging.Snapshot, error) {
	method, body := http.MethodGet, any(nil)
	if r.State != "" {
		method, body = http.MethodPost, r
	}
	var s staging.Snapshot
	err := callAdmin(ctx, cfg, method, "/staging", body, &s, func() bool { return s.Candidate != "" })
	return s, err
}

// print writes a table of the cells that the request matches.
func (r *stageRequest) print(out io.Writer, s staging.Snapshot) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(t, "RESOURCE\tLANGUAGE\tMETHOD\tSTATE\tFAILED\tDIFFER\tSINCE\tBY\n") // Flush returns the error
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
