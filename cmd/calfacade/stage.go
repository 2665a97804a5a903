package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/control"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
)

func stageCommand(p process) *cobra.Command {
	var file, state string
	var change fleet.Change
	var asJSON, log bool
	c := &cobra.Command{
		Use:     "stage [--config FILE] [--to STATE]",
		Short:   "Show or change which backend serves which requests, during a migration",
		GroupID: groupInstance,
		Long: `Calls the admin listener of the instance that runs with the configuration, which needs an
admin.token, and prints the state of reads and writes of each resource in each language. With --to
it changes those that --methods, --resources and --languages select first. With Redis all
instances follow the change as soon as the command returns, and it outlasts restarts. Without, it
is of this instance alone, and ends with the process. --log prints the last changes instead, with
who made them and why, also where there is no candidate.

Exit status: 0 on success; 1 if there is no answer, or it was refused; 2 if the arguments are
wrong.`,
		Example: `calfacade stage --config config.yaml
calfacade stage --config config.yaml --to shadow --who anna
calfacade stage --config config.yaml --resources events --languages es --to 'canary 10%' --why 'no differences'
calfacade stage --config config.yaml --log
# Back to the legacy site:
calfacade stage --config config.yaml --to legacy`,
		Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := stage(c.Context(), p, file, state, change)
			if err == nil && s.Candidate == "" && !log {
				err = errors.New(control.NoCandidate.Message)
			}
			show := printMatrix
			if log {
				show = printStageLog
			}
			return p.print(asJSON, s, err, func(out io.Writer) error { return show(out, s) })
		},
	}
	configFlag(p, c, &file, " of the running instance")
	c.Flags().StringVar(&state, "to", "", "new `STATE`: legacy, shadow, 'canary 10%' (of the clients), 'canary 10% of requests', new or "+
		"new_with_fallback; without it nothing changes")
	completes(c, "to", "legacy", "shadow", "canary 10%", "canary 10% of requests", "new", "new_with_fallback")
	jsonFlag(c, &asJSON)
	f := c.Flags()
	f.BoolVar(&log, "log", false, "print the last changes, the latest first")
	listFlag(f, &change.Ops, "methods", "comma-separated `LIST` of read and write; both by default")
	listFlag(f, &change.Resources, "resources", "comma-separated `LIST` of resources, such as events,venues; all by default")
	listFlag(f, &change.Languages, "languages", "comma-separated `LIST` of codes; by default all languages of the candidate")
	completes(c, "methods", string(staging.Read), string(staging.Write))
	completes(c, "resources", mapping.Resources()...)
	f.StringVar(&change.Who, "who", "", "`NAME` for the log; admin by default")
	f.StringVar(&change.Why, "why", "", "reason for the log, a `TEXT`")
	f.Uint64Var(&change.Version, "if-version", 0, "refuse the change if the version of the decisions is not `N`")
	f.BoolVar(&change.Force, "force", false, "accept that clients write to one site and read from the other")
	return c
}

// stage returns the part of the staging matrix of a running instance that the request
// selects, after changing it if state is not empty.
func stage(ctx context.Context, p process, file, state string, change fleet.Change) (control.Overview, error) {
	if err := readState(&change, state); err != nil {
		return control.Overview{}, usageError(err)
	}
	cfg, err := p.config(file)
	if err != nil {
		return control.Overview{}, err
	}
	s, err := sendStage(ctx, cfg, change)
	s.Cells = slices.DeleteFunc(s.Cells, func(c staging.Status) bool { return !change.Has(c.Cell) })
	return s, err
}

// listFlag defines a flag with a list. An empty list is an error, because no list
// matches all.
func listFlag[T ~string](f *pflag.FlagSet, list *[]T, name, usage string) {
	f.Func(name, usage, func(text string) error {
		*list = nil
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
			*list = append(*list, T(word))
		}
		if *list == nil {
			return errors.New("the list is empty")
		}
		return nil
	})
}

// readState sets the state of a change; "" changes nothing.
func readState(c *fleet.Change, state string) (err error) {
	switch {
	case state == "" && c.Version != 0:
		return errors.New("--if-version requires --to")
	case state == "" && (c.Who != "" || c.Why != "" || c.Force):
		return errors.New("--who, --why and --force require --to")
	case state == "":
		return nil
	}
	if c.Setting, err = staging.ParseSetting(state); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	return nil
}

// sendStage calls the admin listener, and returns the resulting matrix. The zero change only reads.
func sendStage(ctx context.Context, cfg config.Config, change fleet.Change) (s control.Overview, err error) {
	method := http.MethodGet
	body := any(nil)
	if change.State != "" {
		method = http.MethodPost
		body = change
	}
	err = callAdmin(ctx, cfg, method, "/staging", body, &s, func() bool { return s.Cells != nil })
	s.Findings = nil // too long for a terminal: the status page shows them
	return s, err
}

// printMatrix writes a table of cells.
func printMatrix(out io.Writer, s control.Overview) error {
	rows := [][]string{{"RESOURCE", "LANGUAGE", "METHOD", "STATE", "REQUESTS", "FAILED", "DIFFER", "SINCE", "BY"}}
	for i := range s.Cells {
		c := &s.Cells[i]
		state := c.Setting.String()
		if c.File != nil {
			state += " (configured: " + c.File.String() + ")"
		}
		rows = append(rows, []string{c.Resource, c.Language, string(c.Op), state, partOf(c.Requests.Candidate, c.Requests.All()),
			partOf(c.Failures, c.Calls), partOf(c.Different, c.Compared), c.Since.UTC().Format(time.DateTime), because(c.Who, c.Why)})
	}
	text := fmt.Sprintf("candidate %s, rolled back %d times, times are UTC\n", s.Candidate, s.Rollbacks)
	if s.Shared {
		text += fmt.Sprintf("requests, failed and differ count all instances\ndecisions of all instances: version %d", s.Version)
		if !s.Known {
			text += ", or a later one: redis does not answer this instance, which refuses writes"
		}
		c := s.ReadOnly
		if c != nil {
			text += fmt.Sprintf("; read-only since %s by %s", c.When.UTC().Format(time.DateTime), terminal.Escape(because(c.Who, c.Why)))
		}
		text += "\n"
	}
	if err := terminal.Table(out, rows); err != nil {
		return err
	}
	_, err := io.WriteString(out, text)
	return err
}

// printStageLog writes a table of changes.
func printStageLog(out io.Writer, s control.Overview) error {
	rows := [][]string{{"VERSION", "TIME", "FROM", "TO", "WHAT", "INSTANCE", "BY"}}
	for _, c := range s.History {
		var origins []string
		for _, f := range c.From {
			origins = append(origins, f.String())
		}
		version := ""
		if c.Version > 0 {
			version = fmt.Sprint(c.Version)
		}
		row := func(target, subject string) {
			rows = append(rows, []string{version, c.When.UTC().Format(time.DateTime), strings.Join(origins, ", "), target, subject, c.Instance,
				because(c.Who, c.Why)})
		}
		if c.Mode != "" {
			row(c.Mode, "mode")
			continue
		}
		for _, part := range c.Parts() {
			row(part.To.String(), staging.Describe(part.Cells))
		}
	}
	return terminal.Table(out, rows)
}

func because(actor, why string) string {
	if why != "" {
		actor += ": " + why
	}
	return cmp.Or(actor, "-")
}

func partOf(n, total uint64) string {
	if total == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", n, total)
}
