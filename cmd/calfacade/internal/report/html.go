package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the page
	"encoding/base64"
	"html/template"
	"slices"

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

	reportTemplate = template.Must(template.New("report").Parse(reportPage))
)

// reportView is the data of the page.
type reportView struct {
	Report
	Summary  string
	All      Tally
	Groups   []groupView
	Filters  []filter
	MaxNamed int

	Style                 template.CSS
	Script                template.JS
	StyleHash, ScriptHash string
}

type groupView struct {
	compare.Group
	Resource string
}

// filter lists the values of an attribute of the groups.
type filter struct {
	Title, Name string
	Values      []string
}

// summaries are the verdicts as sentences.
var summaries = map[Verdict]string{
	Same:     "They are the same.",
	Differs:  "They differ.",
	Unproven: "No difference, but not everything could be compared.",
}

// summary returns the verdict as a sentence.
func (r Report) summary() string {
	if r.Verdict == Same && len(r.Known) > 0 {
		return "They are the same, but for known differences."
	}
	return summaries[r.Verdict]
}

// html returns the report as a self-contained page. Its Content-Security-Policy allows
// its own style and script only, by their hashes.
func (r Report) html() ([]byte, error) {
	v := reportView{
		Report: r, Summary: r.summary(), All: r.Sum(), MaxNamed: MaxNamed,
		Style: template.CSS(reportStyle), StyleHash: integrity(reportStyle), // #nosec G203 -- of this program
		Script: template.JS(reportScript), ScriptHash: integrity(reportScript), // #nosec G203 -- of this program
		Filters: []filter{{Title: "Language", Name: "language"}, {Title: "Resource", Name: "resource"}, {Title: "Kind", Name: "kind"}},
	}
	for _, g := range r.Groups {
		group := groupView{g, ResourceOf(g.Endpoint)}
		v.Groups = append(v.Groups, group)
		for i, value := range []string{g.Language, group.Resource, string(g.Kind)} {
			if f := &v.Filters[i]; !slices.Contains(f.Values, value) {
				f.Values = append(f.Values, value)
			}
		}
	}
	for _, f := range v.Filters {
		slices.Sort(f.Values)
	}
	var b bytes.Buffer
	err := reportTemplate.Execute(&b, v)
	return b.Bytes(), err
}

func integrity(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
