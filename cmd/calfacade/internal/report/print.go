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
	"strings"
	"text/tabwriter"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
)

// maxGroups is the maximum number of groups of differences that are printed. The report
// has all.
const maxGroups = 20

// Print writes the report as tables.
func (r Report) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "LANGUAGE\tRESOURCE\tITEMS\tCOMPARED\tDIFFERING\tMISSING\tEXTRA\tFAILED\tNOISE")
	for _, c := range append(r.Cells, r.Sum()) {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", c.Language, terminal.OrDash(c.Resource), c.Items, c.Compared, c.Differing, c.Missing, c.Extra, c.Failed, c.Noise)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(r.Groups) > 0 {
		_, _ = fmt.Fprintln(t, "\nDIFFERENCES\tLANGUAGE\tENDPOINT\tKIND\tPATH\tFOR EXAMPLE")
	}
	for _, g := range r.Groups[:min(len(r.Groups), maxGroups)] {
		example := ""
		if len(g.Examples) > 0 {
			e := g.Examples[0]
			example = oneLine(e.Call) + ": " + oneLine(e.Want) + " -> " + oneLine(e.Got)
		}
		_, _ = fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\n", g.Count, g.Language, g.Endpoint, g.Kind, terminal.Escape(terminal.OrDash(g.Path)), example)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(r.Groups) - maxGroups; more > 0 {
		_, _ = fmt.Fprintf(w, "and %d more kinds of differences\n", more)
	}
	if len(r.Known) > 0 {
		_, _ = fmt.Fprintln(t, "\nKNOWN\tDOCUMENTS\tKIND")
	}
	for _, k := range r.Known {
		_, _ = fmt.Fprintf(t, "%d\t%d\t%s\n", k.Count, k.Documents, k.Name)
	}
	if err := cmp.Or(t.Flush(), PrintFailures(w, r.Failures)); err != nil {
		return err
	}
	if err := r.printNarrowed(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", r.Outcome())
	return err
}

// PrintFailures writes the first failures as a table.
func PrintFailures(w io.Writer, failures []Located) error {
	if len(failures) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "\nFAILED\tRESOURCE\tOF\tCALL\tWHY")
	for _, f := range failures[:min(len(failures), maxGroups)] {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", f.Language, f.Resource, terminal.Escape(terminal.OrDash(f.Of)), oneLine(f.Call), oneLine(f.Why))
	}
	return t.Flush()
}

// printNarrowed writes the calls that a site refused as a table.
func (r Report) printNarrowed(w io.Writer) error {
	if len(r.Narrowed) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "\nREFUSED\tRESOURCE\tOF\tWHY\tNOT SENT\tSENT TO BOTH")
	for _, n := range r.Narrowed {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", n.Language, n.Resource, n.Of, oneLine(n.Why), terminal.OrDash(strings.Join(n.Without, ",")), oneLine(n.Sent))
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
func (r Report) Save(dir string) error {
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
