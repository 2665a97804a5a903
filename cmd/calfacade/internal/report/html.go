package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // for the page
	"encoding/base64"
	"html/template"
	"unicode"
	"unicode/utf8"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/docs"
)

var (
	//go:embed page.html
	reportPage string

	//go:embed page.css
	reportLayout string
	reportStyle  = string(docs.Palette()) + reportLayout

	//go:embed page.js
	reportScript string

	reportTemplate = template.Must(template.New("report").Parse(reportPage))
)

// The maximum numbers of findings on the page. report.json and report.csv have more.
const (
	maxOnPage       = 400
	maxOfKindOnPage = 20
)

// reportView is the data of the page.
type reportView struct {
	*Report
	All    Tally
	Groups []kindView
	Shown  int

	Filters               []string // attributes of findings
	Style                 template.CSS
	Script                template.JS
	StyleHash, ScriptHash string
}

// kindView is a kind with its first findings.
type kindView struct {
	*Kind
	Shown []findingView
}

// findingView is a finding with its two sides.
type findingView struct {
	*Finding
	Sides [2]side
}

// side is the value of one site. The part that differs from the other side is in the middle.
type side struct {
	Name, ID                string // "" where the item is not
	Page                    string // of the item, for visitors; "" where there is none
	Before, Changed, Behind string
}

// html returns the report as a self-contained page. Its Content-Security-Policy allows
// its own style and script only, by their hashes.
func (r *Report) html() ([]byte, error) {
	v := reportView{
		Report: r, All: r.Sum(), Filters: []string{"weight", "language", "resource", "kind"},
		Style: template.CSS(reportStyle), StyleHash: integrity(reportStyle), // #nosec G203 -- of this program
		Script: template.JS(reportScript), ScriptHash: integrity(reportScript), // #nosec G203 -- of this program
	}
	for i := range r.Kinds {
		group := kindView{Kind: &r.Kinds[i]}
		for j := range r.Findings {
			if f := &r.Findings[j]; group.has(f) && len(group.Shown) < maxOfKindOnPage && v.Shown < maxOnPage {
				group.Shown = append(group.Shown, f.view())
				v.Shown++
			}
		}
		v.Groups = append(v.Groups, group)
	}
	var b bytes.Buffer
	err := reportTemplate.Execute(&b, v)
	return b.Bytes(), err
}

func (f *Finding) view() findingView {
	a := side{Name: "Legacy", ID: f.ID, Page: f.Legacy.Page}
	b := side{Name: "Candidate", ID: cmp.Or(f.CandidateID, f.ID), Page: f.Candidate.Page}
	switch {
	case f.Member == "" && f.Kind == compare.Missing:
		b.ID = ""
	case f.Member == "" && f.Kind == compare.Extra:
		a.ID = ""
	}
	mark(&a, &b, terminal.EscapeAllBut(f.Want, "\n"), terminal.EscapeAllBut(f.Got, "\n")) // invisible characters too
	return findingView{f, [2]side{a, b}}
}

// mark splits two texts: what both begin and end with, in whole words, has not changed.
func mark(a, b *side, want, got string) {
	before, n := 0, min(len(want), len(got))
	for i := 0; i < n && want[i] == got[i]; i++ {
		if !inWord(want, i+1) && !inWord(got, i+1) {
			before = i + 1
		}
	}
	behind := 0
	for i := 0; i < n-before && want[len(want)-1-i] == got[len(got)-1-i]; i++ {
		if !inWord(want, len(want)-1-i) && !inWord(got, len(got)-1-i) {
			behind = i + 1
		}
	}
	for s, text := range map[*side]string{a: want, b: got} {
		s.Before, s.Changed, s.Behind = text[:before], text[before:len(text)-behind], text[len(text)-behind:]
	}
}

// inWord reports whether the letters or digits before and behind a position belong together, or are
// parts of one character.
func inWord(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	behind, _ := utf8.DecodeRuneInString(s[i:])
	return before == utf8.RuneError && i > 0 || behind == utf8.RuneError && i < len(s) || ofWord(before) && ofWord(behind)
}

func ofWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

func integrity(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
