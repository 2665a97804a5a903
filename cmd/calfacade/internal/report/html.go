package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // for the page
	"encoding/base64"
	"html/template"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/causes"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/admin/statuspage"
)

var (
	//go:embed page.html
	reportPage string

	//go:embed page.css
	reportLayout string
	reportStyle  = statuspage.Palette() + reportLayout

	//go:embed page.js
	reportScript string

	reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{"view": viewName}).Parse(reportPage))
)

// The maximum numbers of findings on the page. report.json and report.csv have more.
const (
	maxOnPage = 400
	maxOfKind = 20 // of one kind
)

// reportView is the data of the page.
type reportView struct {
	Report
	Summary  Summary
	All      Tally
	Groups   []kindView
	Shown    int
	Filters  []filter
	MaxNamed int

	Style                 template.CSS
	Script                template.JS
	StyleHash, ScriptHash string
}

// kindView is a kind with its first findings.
type kindView struct {
	causes.Kind
	Phrase   string
	Findings []findingView
}

// findingView is a finding with the marks of what changed.
type findingView struct {
	causes.Finding
	Marked [2][]piece // of Want and Got
	IDs    [2]string  // of the item on both sites; "" where it is not
	Pages  [2]string  // of the item on both sites, for visitors; "" where there is none
}

// filter lists the values of an attribute of the findings.
type filter struct {
	Title, Name string
	Values      []string
}

// html returns the report as a self-contained page. Its Content-Security-Policy allows
// its own style and script only, by their hashes.
func (r Report) html() ([]byte, error) {
	v := reportView{
		Report: r, Summary: r.Summarize(), All: r.Sum(), MaxNamed: MaxNamed,
		Style: template.CSS(reportStyle), StyleHash: integrity(reportStyle), // #nosec G203 -- of this program
		Script: template.JS(reportScript), ScriptHash: integrity(reportScript), // #nosec G203 -- of this program
	}
	v.group()
	v.Filters = filters(v.Groups)
	var b bytes.Buffer
	err := reportTemplate.Execute(&b, v)
	return b.Bytes(), err
}

// group assigns the findings to their kinds, up to the maximum.
func (v *reportView) group() {
	for _, k := range v.Kinds {
		group := kindView{Kind: k, Phrase: phrase(k)}
		for i := range v.Report.Findings {
			if f := &v.Report.Findings[i]; k.Of(f) && len(group.Findings) < maxOfKind && v.Shown < maxOnPage {
				group.Findings = append(group.Findings, viewOf(*f))
				v.Shown++
			}
		}
		v.Groups = append(v.Groups, group)
	}
}

func viewOf(f causes.Finding) findingView {
	v := findingView{Finding: f}
	v.Marked[0], v.Marked[1] = marked(visible(f.Want), visible(f.Got))
	best := f.Best()
	v.Pages = [2]string{best.Legacy.Page, best.Candidate.Page}
	v.IDs = [2]string{f.ID, cmp.Or(f.CandidateID, f.ID)}
	switch {
	case f.Member == "" && f.Kind == compare.Missing:
		v.IDs[1] = ""
	case f.Member == "" && f.Kind == compare.Extra:
		v.IDs[0] = ""
	}
	return v
}

// filters returns the values by which the findings of a page are filtered.
func filters(groups []kindView) []filter {
	all := []filter{{Title: "Weight", Name: "weight"}, {Title: "Language", Name: "language"}, {Title: "Resource", Name: "resource"}, {Title: "Kind", Name: "kind"}}
	for _, g := range groups {
		for _, f := range g.Findings {
			for i, value := range []string{string(f.Weight), f.Language, f.Resource, string(f.Kind)} {
				if !slices.Contains(all[i].Values, value) {
					all[i].Values = append(all[i].Values, value)
				}
			}
		}
	}
	for _, f := range all[1:] { // weights are in the order of the kinds
		slices.Sort(f.Values)
	}
	return all
}

// viewName returns the name of a response for people.
func viewName(f causes.Finding, v causes.View) string {
	resource, action, _ := strings.Cut(v.Endpoint, ".")
	name := "by ID"
	switch {
	case action == "list":
		name = "list"
	case strings.HasSuffix(action, "by_slug"):
		name = "by slug"
	}
	if resource != f.Resource {
		name = resource + " " + name
	}
	return name
}

func integrity(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
