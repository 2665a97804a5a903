package survey

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // for the page
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/docs"
)

// maxRows is the maximum number of rows of a table that are printed. The report has all.
const maxRows = 20

// Print writes the report as tables, and the headline below them.
func (r *DiffReport) Print(w io.Writer) error {
	rows := [][]string{{"LANGUAGE", "RESOURCE", "ITEMS", "SAME", "FINDINGS", "FAILED", "DOCUMENTS", "NOISE"}}
	for _, t := range append(slices.Clone(r.Tallies), r.Sum()) {
		rows = append(rows, append([]string{t.Language, t.Resource, fmt.Sprint(t.Items), t.Same()},
			strings.Fields(fmt.Sprint(t.Findings, t.Failed, t.Compared, t.Noise))...))
	}
	kinds := [][]string{{"FINDINGS", "WEIGHT", "WHAT", "FOR EXAMPLE"}}
	for _, g := range r.Groups {
		example := ""
		for _, f := range r.Of(g, 1) {
			example = short(f.Language+" "+f.Title()) + ": " + short(f.Want) + " -> " + short(f.Got)
		}
		kinds = append(kinds, []string{fmt.Sprint(g.Findings), string(g.Weight), g.Phrase(), example})
	}
	knownKinds := [][]string{{"KNOWN", "KIND"}}
	for _, name := range slices.Sorted(maps.Keys(r.Known)) {
		knownKinds = append(knownKinds, []string{fmt.Sprint(r.Known[name]), name})
	}
	err := errors.Join(
		table(w, len(rows), rows),
		table(w, maxRows, kinds),
		table(w, len(knownKinds), knownKinds),
		printFailures(w, r.Failures),
	)
	_, last := fmt.Fprintln(w, r.Headline)
	return errors.Join(err, last)
}

// printFailures writes the first failures as a table.
func printFailures(w io.Writer, failures []compare.Failure) error {
	rows := [][]string{{"FAILED", "RESOURCE", "OF", "CALL", "WHY"}}
	for _, f := range failures {
		rows = append(rows, []string{f.Language, f.Resource, f.Of, short(f.Call), short(f.Why)})
	}
	return table(w, maxRows, rows)
}

// table writes the first rows of a table and an empty line. A table of the head alone is omitted.
func table(w io.Writer, limit int, rows [][]string) error {
	if len(rows) == 1 {
		return nil
	}
	_ = terminal.Table(w, rows[:min(len(rows), limit+1)]) // the next line returns the error
	hidden := len(rows) - 1 - limit
	if hidden > 0 {
		_, _ = fmt.Fprintf(w, "and %d more\n", hidden)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// maxText is the maximum length of a text in a table, in bytes.
const maxText = 60

func short(s string) string { return mapping.Shorten(s, maxText) }

// Save writes report.json and report.html into a directory. Only their owner may read
// them, since they hold content of the sites.
func (r *DiffReport) Save(dir string) error {
	data, noData := json.MarshalIndent(r, "", "  ")
	page, noPage := r.html()
	if err := errors.Join(noData, noPage); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "report.json"), append(data, '\n'), 0o600),
		os.WriteFile(filepath.Join(dir, "report.html"), page, 0o600),
	)
}

var (
	//go:embed page.html
	reportPage string

	//go:embed page.css
	reportLayout string
	reportStyle  = docs.Palette + reportLayout

	//go:embed page.js
	reportScript string

	reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
		"sides":      sidesOf,
		"style":      func() template.CSS { return template.CSS(reportStyle) }, // #nosec G203 -- of this program
		"script":     func() template.JS { return template.JS(reportScript) },  // #nosec G203 -- of this program
		"styleHash":  func() string { return integrity(reportStyle) },
		"scriptHash": func() string { return integrity(reportScript) },
	}).Parse(reportPage))
)

// side is the value of one site. The part that differs from the other side is in the middle.
type side struct {
	Name, ID                string // "" if the site lacks the item
	Page                    string // of the item, for visitors; "" without a page
	Before, Changed, Behind string
}

// html returns the report as a self-contained page. The Content-Security-Policy of the page allows the
// included style and script only, by their hashes.
func (r *DiffReport) html() ([]byte, error) {
	var b bytes.Buffer
	err := reportTemplate.Execute(&b, r)
	return b.Bytes(), err
}

// sidesOf returns the two sides of a finding.
func sidesOf(f *compare.Finding) [2]side {
	a := side{Name: "Legacy", ID: f.ID, Page: f.Legacy.Page}
	b := side{Name: "Candidate", ID: cmp.Or(f.CandidateID, f.ID), Page: f.Candidate.Page}
	switch {
	case f.Member == "" && f.Kind == compare.Missing:
		b.ID = ""
	case f.Member == "" && f.Kind == compare.Extra:
		a.ID = ""
	}
	mark(&a, &b, terminal.EscapeAllBut(f.Want, "\n"), terminal.EscapeAllBut(f.Got, "\n")) // invisible characters too
	return [2]side{a, b}
}

// token matches a word, or one other character.
var token = regexp.MustCompile(`[\pL\pN\pM]+|(?s:.)`)

// mark splits two texts: the common beginning and end, in whole words, have not changed.
func mark(a, b *side, legacyText, candidateText string) {
	wantTokens := token.FindAllString(legacyText, -1)
	gotTokens := token.FindAllString(candidateText, -1)
	prefix := 0
	behind := 0
	n := min(len(wantTokens), len(gotTokens))
	for prefix < n && wantTokens[prefix] == gotTokens[prefix] {
		prefix++
	}
	for behind < n-prefix && wantTokens[len(wantTokens)-1-behind] == gotTokens[len(gotTokens)-1-behind] {
		behind++
	}
	for s, tokens := range map[*side][]string{a: wantTokens, b: gotTokens} {
		end := len(tokens) - behind
		s.Before = strings.Join(tokens[:prefix], "")
		s.Changed = strings.Join(tokens[prefix:end], "")
		s.Behind = strings.Join(tokens[end:], "")
	}
}

func integrity(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
