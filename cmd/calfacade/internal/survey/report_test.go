package survey

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping/compare"
)

// nasty is text that no page should take for its own.
const nasty = `"><script>document.title='run'</script><img src=http://127.0.0.1:1/x onerror="document.title='run'">`

// someReport has two kinds of findings in each of two languages, and nasty text wherever a
// site has its say.
func someReport() DiffReport {
	c := new(compare.Findings)
	for _, language := range []string{"en", "es"} {
		c.Add(compare.Step{Language: language, Resource: "events", Items: 12})
		for _, d := range []compare.Difference{
			{Path: "title", Kind: compare.Value, Cause: compare.Cause{Resource: "events", ID: "7", Member: "title"}},
			{Path: nasty, Kind: compare.Missing, Cause: compare.Cause{Resource: "venues", ID: "7", Member: nasty}},
		} {
			d.Want = nasty + strings.Repeat("long", 60)
			d.Got = "=" + nasty
			c.Add(compare.Step{Language: language, Resource: d.Cause.Resource, ID: "7", Compared: 30, Responses: []compare.Response{{
				Endpoint: d.Cause.Resource + ".read", Call: "/events?x=" + nasty,
				Result: compare.Result{Differences: []compare.Difference{d}},
				Legacy: compare.Answer{URL: "javascript:alert(1)"}, Candidate: compare.Answer{URL: "https://new.example/" + nasty},
			}}})
		}
	}
	c.Add(compare.Step{Language: "en", Resource: "events", Failed: []compare.Failure{
		{Language: "en", Resource: "events", Call: "/events/1", Of: "legacy", Why: nasty},
	}})
	r := newReport(c.Snapshot())
	for i := range r.Findings {
		r.Findings[i].Name = nasty
		r.Findings[i].URL = "https://api.example/events/7"
	}
	r.Made = "2026-11-21T12:00:00Z"
	r.Candidate = "new"
	r.Sample = 10
	return r
}

func TestReportIsPrinted(t *testing.T) {
	var b strings.Builder
	r := someReport()
	r.Findings[0].Want = "a\x1b[31m\nb"
	if err := r.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"LANGUAGE  RESOURCE  ITEMS  SAME    FINDINGS  FAILED  DOCUMENTS  NOISE\n",
		"all       -         24     83.3 %  4         1       120        0\n",
		`a\x1b[31m\nb -> `,
		"no event is at another time. 4 other findings.\n",
		"FAILED  RESOURCE  OF",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestReportIsForNobodyElse(t *testing.T) {
	dir := t.TempDir()
	r := someReport()
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"report.json": 0o600, "report.html": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

// TestIDsAreSideBySide: each side has the id of the item there, and no id where the item is missing.
func TestIDsAreSideBySide(t *testing.T) {
	for _, test := range []struct {
		finding compare.Finding
		want    [2]string
	}{
		{compare.Finding{ID: "7", Subject: compare.Subject{Member: "title", Kind: compare.Missing}}, [2]string{"7", "7"}},
		{compare.Finding{ID: "7", CandidateID: "9", Subject: compare.Subject{Member: "title"}}, [2]string{"7", "9"}},
		{compare.Finding{ID: "7", Subject: compare.Subject{Kind: compare.Missing}}, [2]string{"7", ""}},
		{compare.Finding{ID: "7", CandidateID: "9", Subject: compare.Subject{Kind: compare.Extra}}, [2]string{"", "9"}},
		{compare.Finding{Subject: compare.Subject{Member: "total"}}, [2]string{}},
	} {
		if got := ids(sidesOf(&test.finding)); got != test.want {
			t.Errorf("%+v: %q, want %q", test.finding, got, test.want)
		}
	}
	subject := compare.Subject{Resource: "venues", Member: "venue"}
	r := DiffReport{Report: compare.Report{
		Findings: []compare.Finding{{
			Subject: subject, ID: "7", CandidateID: "9", Name: "Old Hall", Want: "Old Hall", Got: "New Hall",
			Legacy: compare.Answer{Page: "https://old.example/hall"}, Candidate: compare.Answer{Page: "javascript:alert(1)"},
		}},
		Groups: []compare.Group{{Subject: subject, Findings: 1}},
	}}
	page, err := r.html()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Legacy, ID 7", "Candidate, ID 9", "Old Hall (7)", "<del>Old</del> Hall", "<ins>New</ins> Hall",
		`<a href="https://old.example/hall" rel="noreferrer">page`, `<a href="#ZgotmplZ" rel="noreferrer">page`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q", want)
		}
	}
}

func ids(sides [2]side) [2]string { return [2]string{sides[0].ID, sides[1].ID} }

func TestHeadlines(t *testing.T) {
	serious := compare.Group{Subject: compare.Subject{Weight: compare.Serious}, Findings: 3}
	visible := compare.Group{Subject: compare.Subject{Weight: compare.Visible}, Findings: 5}
	for _, test := range []struct {
		name    string
		report  compare.Report
		verdict Verdict
		want    string
	}{
		{"same", compare.Report{}, Same, "No difference was found in what was compared."},
		{"known", compare.Report{Known: map[string]int{"x": 1}}, Same,
			"What was compared is the same, except for 1 known kind of differences."},
		{"unproven", compare.Report{Tallies: []compare.Tally{{Failed: 1}}}, Unproven,
			"No difference was found, but not everything could be compared: this is no verdict."},
		{"visible", compare.Report{Groups: []compare.Group{visible}, Total: 5}, Differs,
			"In what was compared, no item is missing, additional or unreadable, and no event is at another time. 5 other findings."},
		{"serious", compare.Report{Groups: []compare.Group{serious, visible}, Total: 8}, Differs,
			"Not ready to move: 3 serious findings."},
	} {
		if got := newReport(test.report); got.Headline != test.want || got.Verdict != test.verdict {
			t.Errorf("%s: got %s: %s", test.name, got.Verdict, got.Headline)
		}
	}
}

func TestMarks(t *testing.T) {
	for _, test := range []struct{ want, got, marked, second string }{
		{"", "", "", ""},
		{"a", "", "[a]", ""},
		{"same", "same", "same", "same"},
		{"Quai Neuf", "Quai Neuf (planted)", "Quai Neuf", "Quai Neuf[ (planted)]"},
		{"2026-12-25 18:00:00", "2026-12-26 18:00:00", "2026-12-[25] 18:00:00", "2026-12-[26] 18:00:00"},
		{"string 2", "number 2", "[string] 2", "[number] 2"},
		{"a b", "b", "[a ]b", "b"},
		{"one two three", "one three", "one [two ]three", "one three"},
		{"café au lait", "cafe\u0301 au lait", "[café] au lait", "[cafe\u0301] au lait"},
		{"<b>a</b>", "<i>a</i>", "<[b>a</b]>", "<[i>a</i]>"},
	} {
		var a, b side
		mark(&a, &b, test.want, test.got)
		if a.text("[", "]") != test.marked || b.text("[", "]") != test.second {
			t.Errorf("%q and %q: %+v and %+v, want %q and %q", test.want, test.got, a, b, test.marked, test.second)
		}
	}
}

// text returns the text of a side, with marks around the changes.
func (s side) text(link, behind string) string {
	if s.Changed == "" {
		return s.Before + s.Behind
	}
	return s.Before + link + s.Changed + behind + s.Behind
}

// FuzzMarks: the parts joined are the text, and the unmarked parts are the same in both.
func FuzzMarks(f *testing.F) {
	f.Add("one two", "one 2")
	f.Add("\xff é", "e\u0301")
	f.Fuzz(func(t *testing.T, want, got string) {
		var a, b side
		mark(&a, &b, want, got)
		if a.text("", "") != want || b.text("", "") != got || a.Before != b.Before || a.Behind != b.Behind {
			t.Errorf("%q and %q: %+v and %+v", want, got, a, b)
		}
	})
}
