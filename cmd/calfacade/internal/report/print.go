package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
)

// maxRows is the maximum number of rows of a table that are printed. The report has all.
const maxRows = 20

// Print writes the report as tables.
func (r *Report) Print(w io.Writer) error {
	cells := [][]string{{"LANGUAGE", "RESOURCE", "ITEMS", "SAME", "DIFFERING", "MISSING", "EXTRA", "FAILED", "DOCUMENTS", "NOISE"}}
	for _, t := range append(slices.Clone(r.Cells), r.Sum()) {
		cells = append(cells, append([]string{t.Language, t.Resource, fmt.Sprint(t.Items), t.Same()},
			strings.Fields(fmt.Sprint(t.Affected, t.Missing, t.Extra, t.Failed, t.Compared, t.Noise))...))
	}
	kinds := [][]string{{"FINDINGS", "WEIGHT", "WHAT", "FOR EXAMPLE"}}
	for i := range r.Kinds {
		k := &r.Kinds[i]
		example := ""
		if at := slices.IndexFunc(r.Findings, func(f Finding) bool { return k.has(&f) }); at >= 0 {
			f := &r.Findings[at]
			example = oneLine(f.Language+" "+f.Title()) + ": " + oneLine(f.Want) + " -> " + oneLine(f.Got)
		}
		kinds = append(kinds, []string{fmt.Sprint(k.Findings), string(k.Weight), k.Phrase(), example})
	}
	known := [][]string{{"KNOWN", "DOCUMENTS", "KIND"}}
	for _, k := range r.Known {
		known = append(known, []string{fmt.Sprint(k.Count), fmt.Sprint(k.Documents), k.Name})
	}
	_, err := fmt.Fprintln(w, r.Headline)
	err = errors.Join(err, table(w, len(cells), cells), table(w, maxRows, kinds), table(w, len(known), known), PrintFailures(w, r.Failures))
	_, last := fmt.Fprintf(w, "\n%s\n", r.Outcome())
	return cmp.Or(err, last)
}

// PrintFailures writes the first failures as a table.
func PrintFailures(w io.Writer, failures []Located) error {
	rows := [][]string{{"FAILED", "RESOURCE", "OF", "CALL", "WHY"}}
	for _, f := range failures {
		rows = append(rows, []string{f.Language, f.Resource, f.Of, oneLine(f.Call), oneLine(f.Why)})
	}
	return table(w, maxRows, rows)
}

// table writes the first rows of a table behind an empty line, if it has more than its head.
func table(w io.Writer, most int, rows [][]string) error {
	if len(rows) == 1 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t) // Flush returns the error
	for _, row := range rows[:min(len(rows), most+1)] {
		for i, text := range row {
			row[i] = terminal.OrDash(terminal.Escape(text))
		}
		_, _ = fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	if more := len(rows) - 1 - most; more > 0 {
		_, _ = fmt.Fprintf(t, "and %d more\n", more)
	}
	return t.Flush()
}

// maxText is the maximum length of a text in a table.
const maxText = 60

// oneLine returns the beginning of a text, escaped for a terminal.
func oneLine(s string) string {
	s = terminal.Escape(s)
	if runes := []rune(s); len(runes) > maxText {
		return string(runes[:maxText-1]) + "…"
	}
	return s
}

// Save writes report.json, report.csv and report.html into a directory. Only their owner may read
// them, since they hold content of the sites.
func (r *Report) Save(dir string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	page, err := r.html()
	if err != nil {
		return err
	}
	var rows bytes.Buffer
	if err := r.writeCSV(&rows); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "report.json"), append(data, '\n'), 0o600),
		os.WriteFile(filepath.Join(dir, "report.csv"), rows.Bytes(), 0o600),
		os.WriteFile(filepath.Join(dir, "report.html"), page, 0o600),
	)
}
