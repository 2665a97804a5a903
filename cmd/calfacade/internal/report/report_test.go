package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/causes"
	"github.com/calfacade/calfacade/mapping/compare"
)

// nasty is what no page should take for its own.
const nasty = `"><script>document.title='run'</script><img src=http://127.0.0.1:1/x onerror="document.title='run'">`

// someReport has two kinds of findings in each of two languages, and what is nasty wherever a
// site has its say.
func someReport() Report {
	r := Report{Made: "2026-11-21T12:00:00Z", Candidate: "new", Verdict: Differs, Sample: 10, Overflow: 3}
	var c causes.Collector
	for _, language := range []string{"en", "es"} {
		r.Cells = append(r.Cells, Tally{Language: language, Resource: "events", Items: 12, Compared: 30, Differing: 4, Missing: 1, IDs: NamedIDs{Missing: []string{nasty}}, Affected: 2, Findings: 2})
		for _, g := range []compare.Group{
			{Endpoint: "events.list", Path: "events[].title", Kind: compare.Value},
			{Endpoint: "venues.read", Path: nasty, Kind: compare.Missing},
		} {
			g.Language, g.Count, g.Documents = language, 7, 2
			g.Examples = []compare.Example{{Call: "/events?x=" + nasty, Item: nasty, Want: nasty + strings.Repeat("long", 60), Got: ""}}
			r.Groups = append(r.Groups, g)
			c.Add([]causes.Seen{{
				Language: language, Endpoint: g.Endpoint, Call: g.Examples[0].Call, Item: "7",
				Difference: compare.Difference{Path: g.Path, Kind: g.Kind, Want: g.Examples[0].Want, Got: "=" + nasty, Cause: compare.Cause{
					Resource: ResourceOf(g.Endpoint), ID: "7", Member: strings.TrimPrefix(g.Path, "events[]."), Values: "1",
				}},
				Legacy: causes.Answer{URL: "javascript:alert(1)", File: "answers/a.json"}, Candidate: causes.Answer{URL: "https://new.example/" + nasty},
			}})
		}
	}
	r.Result = c.Result()
	r.Locate(func(_, call string) string { return "https://api.example" + call })
	r.Narrowed = []Narrowed{{Language: "en", Resource: "tags", Of: "candidate", Refused: "/tags?per_page=50", Why: nasty, Sent: "/tags", Without: []string{"hide_empty"}}}
	r.Failures = []Located{{"en", "events", Failure{Call: "/events/1", Of: "legacy", Why: nasty}}}
	return r
}

func TestReportIsPrinted(t *testing.T) {
	var b strings.Builder
	r := someReport()
	r.Groups[0].Examples[0].Want = "a\x1b[31m\nb"
	if err := r.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"LANGUAGE  RESOURCE  ITEMS  COMPARED  DIFFERING  MISSING  EXTRA  FAILED  NOISE\n",
		"all       -         24     60        8          2        0      0       0\n",
		`a\x1b[31m\nb -> `,
		"\ndiffers\n",
		"REFUSED  RESOURCE  OF",
		"hide_empty  /tags\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestReportIsForNobodyElse(t *testing.T) {
	dir := t.TempDir()
	if err := someReport().Save(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"report.json": 0o600, "report.html": 0o600, "report.csv": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

// TestIDsAreSideBySide: each side has the id of the item there, and none where it is not.
func TestIDsAreSideBySide(t *testing.T) {
	for _, test := range []struct {
		finding causes.Finding
		want    [2]string
	}{
		{causes.Finding{ID: "7", Member: "title", Kind: compare.Missing}, [2]string{"7", "7"}},
		{causes.Finding{ID: "7", CandidateID: "9", Member: "title"}, [2]string{"7", "9"}},
		{causes.Finding{ID: "7", Kind: compare.Missing}, [2]string{"7", ""}},
		{causes.Finding{ID: "7", CandidateID: "9", Kind: compare.Extra}, [2]string{"", "9"}},
		{causes.Finding{Member: "total"}, [2]string{}},
	} {
		if got := viewOf(test.finding).IDs; got != test.want {
			t.Errorf("%+v: %q, want %q", test.finding, got, test.want)
		}
	}
	page, err := Report{Result: causes.Result{
		Findings: []causes.Finding{{Resource: "venues", ID: "7", CandidateID: "9", Member: "venue", Want: "Old Hall", Got: "New Hall", Views: []causes.View{{
			Legacy: causes.Answer{Page: "https://old.example/hall"}, Candidate: causes.Answer{Page: "javascript:alert(1)"},
		}}}},
		Kinds: []causes.Kind{{Resource: "venues", Member: "venue", Findings: 1}},
	}}.html()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Legacy, ID 7", "Candidate, ID 9", "<del>Old</del> Hall", "<ins>New</ins> Hall", `<a href="https://old.example/hall" rel="noreferrer">page`, `<a href="#ZgotmplZ" rel="noreferrer">page`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q", want)
		}
	}
}
