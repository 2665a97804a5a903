package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/staging"
)

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
func (v stageView) print(out io.Writer, s staging.Snapshot, d admin.Decisions) error {
	switch {
	case v.log:
		return printStageLog(out, s)
	case v.export:
		_, err := io.WriteString(out, exportMatrix(s, d))
		return err
	}
	return printMatrix(out, s, d)
}

// printMatrix writes a table of cells.
func printMatrix(out io.Writer, s staging.Snapshot, d admin.Decisions) error {
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
	if err := t.Flush(); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "candidate %s, rolled back %d times, times are UTC\n", s.Candidate, s.Rollbacks); err != nil || !d.Shared {
		return err
	}
	line := fmt.Sprintf("requests, failed and differ count all instances\ndecisions of all instances: version %d", d.Version)
	if !d.Known {
		line += ", or a later one: redis does not answer this instance, which refuses writes"
	}
	if c := d.ReadOnly; c != nil {
		line += fmt.Sprintf("; read-only since %s by %s", c.When.UTC().Format(time.DateTime), because(c.Who, c.Why))
	}
	_, err := fmt.Fprintln(out, line)
	return err
}

// printStageLog writes a table of changes.
func printStageLog(out io.Writer, s staging.Snapshot) error {
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
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", version, c.When.UTC().Format(time.DateTime), terminal.OrDash(strings.Join(from, ", ")),
			terminal.OrDash(to), terminal.OrDash(what), terminal.OrDash(terminal.Escape(c.Instance)), because(c.Who, c.Why))
	}
	return t.Flush()
}

// exportMatrix returns YAML for a configuration that has the settings of a matrix.
func exportMatrix(s staging.Snapshot, d admin.Decisions) string {
	var cells []staging.Cell
	settings := map[staging.Cell]staging.Setting{}
	for i := range s.Cells {
		cells = append(cells, s.Cells[i].Cell)
		settings[s.Cells[i].Cell] = s.Cells[i].Setting
	}
	text := "staging:\n  candidate: " + s.Candidate + "\n" + staging.RulesYAML(cells, settings)
	if d.ReadOnly != nil {
		text = "mode: read_only\n" + text
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
