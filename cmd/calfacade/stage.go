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
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/staging"
)

// stageRequest is the body of POST /staging. A nil list matches all.
type stageRequest struct {
	Methods   []string `json:"methods,omitempty"`
	Resources []string `json:"resources,omitempty"`
	Languages []string `json:"languages,omitempty"`
	staging.Setting
	Who     string `json:"who,omitempty"`
	Why     string `json:"why,omitempty"`
	Force   bool   `json:"force,omitempty"`
	Version uint64 `json:"version,omitempty"` // that the change is for; 0: any
}

func stageCommand(p process) *cobra.Command {
	var file, to string
	var body stageRequest
	var asJSON bool
	var show stageView
	c := &cobra.Command{
		Use:     "stage [--config FILE] [--to STATE]",
		Short:   "Show or change which backend serves which requests, during a migration",
		GroupID: groupInstance,
		Long: `Calls the admin listener of the instance that runs with the configuration, which needs an
admin.token, and prints the state of reads and writes of each resource in each language. With --to
it changes those that --methods, --resources and --languages select first. With Redis all
instances follow the change as soon as the command returns, and it outlasts restarts. Without, it
is of this instance alone, and ends with the process. --log prints the last changes instead, with
who made them and why, also where there is no candidate. --export prints the matrix as rules for
the configuration.

Exit status: 0 on success; 1 if there is no answer, or it was refused; 2 if the arguments are
wrong.`,
		Example: `calfacade stage --config config.yaml
calfacade stage --config config.yaml --to shadow --who anna
calfacade stage --config config.yaml --resources events --languages es --to 'canary 10%' --why 'no differences'
calfacade stage --config config.yaml --log
calfacade stage --config config.yaml --export
# Back to the legacy site:
calfacade stage --config config.yaml --to legacy`,
		Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := show.check(to, asJSON); err != nil {
				return usageError(err)
			}
			s, err := stage(c.Context(), p, file, to, body)
			if err == nil && s.Candidate == "" && !show.log {
				err = errors.New(admin.NoCandidate.Message)
			}
			return p.print(asJSON, s, err, func(out io.Writer) error { return show.print(out, s) })
		},
	}
	configFlag(p, c, &file, " of the running instance")
	c.Flags().StringVar(&to, "to", "", "new `STATE`: legacy, shadow, 'canary 10%' (of the clients), 'canary 10% of requests', new or "+
		"new_with_fallback; without it nothing changes")
	jsonFlag(c, &asJSON)
	c.Flags().BoolVar(&show.log, "log", false, "print the last changes, the latest first")
	c.Flags().BoolVar(&show.export, "export", false, "print YAML for the configuration, with staging.rules that give the same matrix")
	body.define(c.Flags())
	return c
}

// define defines the flags.
func (r *stageRequest) define(f *pflag.FlagSet) {
	listFlag(f, &r.Methods, "methods", "comma-separated `LIST` of read and write; both by default")
	listFlag(f, &r.Resources, "resources", "comma-separated `LIST` of resources, such as events,venues; all by default")
	listFlag(f, &r.Languages, "languages", "comma-separated `LIST` of codes; by default all languages of the candidate")
	f.StringVar(&r.Who, "who", "", "`NAME` for the log; admin by default")
	f.StringVar(&r.Why, "why", "", "reason for the log, a `TEXT`")
	f.Uint64Var(&r.Version, "if-version", 0, "refuse the change if the version of the decisions is not `N`")
	f.BoolVar(&r.Force, "force", false, "accept that clients write to one site and read from the other")
}

// stage returns the part of the staging matrix of a running instance that the request
// selects, after changing it if to is not empty.
func stage(ctx context.Context, p process, file, to string, body stageRequest) (admin.StagingReport, error) {
	if err := body.read(to); err != nil {
		return admin.StagingReport{}, usageError(err)
	}
	cfg, err := p.config(file)
	if err != nil {
		return admin.StagingReport{}, err
	}
	s, err := body.send(ctx, cfg)
	s.Cells = slices.DeleteFunc(s.Cells, func(c staging.Status) bool {
		return !has(body.Methods, string(c.Op)) || !has(body.Resources, c.Resource) || !has(body.Languages, c.Language)
	})
	return s, err
}

// listFlag defines a flag with a list. An empty list is an error, because no list
// matches all.
func listFlag(f *pflag.FlagSet, list *[]string, name, usage string) {
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
		if r.Version != 0 {
			return errors.New("--if-version requires --to")
		}
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
func (r *stageRequest) send(ctx context.Context, cfg config.Config) (admin.StagingReport, error) {
	method, body := http.MethodGet, any(nil)
	if r.State != "" {
		method, body = http.MethodPost, r
	}
	var s admin.StagingReport
	err := callAdmin(ctx, cfg, method, "/staging", body, &s, func() bool { return s.Cells != nil })
	s.Findings = nil // too long for a terminal: the status page shows them
	return s, err
}

func has(list []string, name string) bool { return list == nil || slices.Contains(list, name) }

// stageView selects the text: the matrix, unless one of the others is set.
type stageView struct {
	log    bool // the last changes
	export bool // YAML for a configuration
}

// check refuses flags that exclude each other. to is the state to change to.
func (v stageView) check(to string, asJSON bool) error {
	switch {
	case v.log && v.export:
		return errors.New("--log and --export exclude each other")
	case v.export && to != "":
		return errors.New("--export and --to exclude each other: change first")
	case v.export && asJSON:
		return errors.New("--export prints YAML, not JSON")
	}
	return nil
}

// print prints the selected text.
func (v stageView) print(out io.Writer, s admin.StagingReport) error {
	switch {
	case v.log:
		return printStageLog(out, s)
	case v.export:
		_, err := io.WriteString(out, exportMatrix(s))
		return err
	}
	return printMatrix(out, s)
}

// printMatrix writes a table of cells.
func printMatrix(out io.Writer, s admin.StagingReport) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(t, "RESOURCE\tLANGUAGE\tMETHOD\tSTATE\tREQUESTS\tFAILED\tDIFFER\tSINCE\tBY\n") // Flush returns the error
	for i := range s.Cells {
		c := &s.Cells[i]
		state := c.Setting.String()
		if c.File != nil {
			state += " (configured: " + c.File.String() + ")"
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Resource, c.Language, c.Op, state,
			partOf(c.Requests.Candidate, c.Requests.All()),
			partOf(c.Failures, c.Calls), partOf(c.Different, c.Compared), c.Since.UTC().Format(time.DateTime), because(c.Who, c.Why))
	}
	_, _ = fmt.Fprintf(t, "candidate %s, rolled back %d times, times are UTC\n", s.Candidate, s.Rollbacks)
	if s.Shared {
		_, _ = fmt.Fprintf(t, "requests, failed and differ count all instances\ndecisions of all instances: version %d", s.Version)
		if !s.Known {
			_, _ = fmt.Fprint(t, ", or a later one: redis does not answer this instance, which refuses writes")
		}
		if c := s.ReadOnly; c != nil {
			_, _ = fmt.Fprintf(t, "; read-only since %s by %s", c.When.UTC().Format(time.DateTime), because(c.Who, c.Why))
		}
		_, _ = fmt.Fprintln(t)
	}
	return t.Flush()
}

// printStageLog writes a table of changes.
func printStageLog(out io.Writer, s admin.StagingReport) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(t, "VERSION\tTIME\tFROM\tTO\tWHAT\tINSTANCE\tBY\n") // Flush returns the error
	for _, c := range s.History {
		to, what := c.To.String(), staging.Describe(c.Cells)
		if c.Mode != "" {
			to, what = c.Mode, "mode"
		}
		var from []string
		for _, f := range c.From {
			from = append(from, f.String())
		}
		version := "-"
		if c.Version > 0 {
			version = fmt.Sprint(c.Version)
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", version, c.When.UTC().Format(time.DateTime),
			cmp.Or(strings.Join(from, ", "), "-"),
			cmp.Or(to, "-"), cmp.Or(what, "-"), cmp.Or(terminal.Escape(c.Instance), "-"), because(c.Who, c.Why))
	}
	return t.Flush()
}

// exportMatrix returns YAML for a configuration that has the settings of a matrix.
func exportMatrix(s admin.StagingReport) string {
	var cells []staging.Cell
	settings := map[staging.Cell]staging.Setting{}
	for i := range s.Cells {
		cells = append(cells, s.Cells[i].Cell)
		settings[s.Cells[i].Cell] = s.Cells[i].Setting
	}
	text := "staging:\n  candidate: " + s.Candidate + "\n" + staging.RulesYAML(cells, settings)
	if s.ReadOnly != nil {
		text = "writes: none\n" + text
	}
	return text
}

func because(who, why string) string {
	if why != "" {
		who += ": " + why
	}
	return terminal.Escape(cmp.Or(who, "-"))
}

func partOf(n, of uint64) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", n, of)
}
