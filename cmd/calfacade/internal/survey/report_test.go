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
func someReport() Report {
	c := NewCollector()
	c.URL = func(_, call string) string { return "https://api.example" + call }
	c.Name = func(string, string, string) string { return nasty }
	for _, language := range []string{"en", "es"} {
		c.Tally(language, "events").Items = 12
		for _, d := range []compare.Difference{
			{Path: "title", Kind: compare.Value, Cause: compare.Cause{Resource: "events", ID: "7", Member: "title", Values: "1"}},
			{Path: nasty, Kind: compare.Missing, Cause: compare.Cause{Resource: "venues", ID: "7", Member: nasty, Values: "1"}},
		} {
			d.Want, d.Got = nasty+strings.Repeat("long", 60), "="+nasty
			c.Add(Step{Language: language, Resource: d.Cause.Resource, ID: "7", Compared: 30, Documents: []Document{{
				Endpoint: d.Cause.Resource + ".read", Call: "/events?x=" + nasty, Differences: []compare.Difference{d},
				Legacy: Answer{URL: "javascript:alert(1)"}, Candidate: Answer{URL: "https://new.example/" + nasty},
			}}})
		}
	}
	c.Add(Step{Language: "en", Resource: "events", Failed: []Failure{{Call: "/events/1", Of: "legacy", Why: nasty}}})
	r := c.Report()
	r.Made, r.Candidate, r.Sample = "2026-11-21T12:00:00Z", "new", 10
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
		"LANGUAGE  RESOURCE  ITEMS  SAME    DIFFERING  MISSING  EXTRA  FAILED  DOCUMENTS  NOISE\n",
		"all       -         24     83.3 %  4          0        0      1       120        0\n",
		`a\x1b[31m\nb -> `,
		"\ndiffers\n",
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
		finding Finding
		want    [2]string
	}{
		{Finding{ID: "7", Member: "title", Kind: compare.Missing}, [2]string{"7", "7"}},
		{Finding{ID: "7", CandidateID: "9", Member: "title"}, [2]string{"7", "9"}},
		{Finding{ID: "7", Kind: compare.Missing}, [2]string{"7", ""}},
		{Finding{ID: "7", CandidateID: "9", Kind: compare.Extra}, [2]string{"", "9"}},
		{Finding{Member: "total"}, [2]string{}},
	} {
		if got := ids(test.finding.view()); got != test.want {
			t.Errorf("%+v: %q, want %q", test.finding, got, test.want)
		}
	}
	r := Report{
		Findings: []Finding{{
			Resource: "venues", ID: "7", CandidateID: "9", Name: "Old Hall", Member: "venue", Want: "Old Hall", Got: "New Hall",
			Legacy: Answer{Page: "https://old.example/hall"}, Candidate: Answer{Page: "javascript:alert(1)"},
		}},
		Kinds: []Kind{{Resource: "venues", Member: "venue", Findings: 1}},
	}
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

func ids(v findingView) [2]string { return [2]string{v.Sides[0].ID, v.Sides[1].ID} }

func TestHeadlines(t *testing.T) {
	serious, visible := Kind{Weight: Serious, Findings: 3}, Kind{Weight: Visible, Findings: 5}
	for _, test := range []struct {
		name   string
		report Report
		want   string
	}{
		{"same", Report{Verdict: Same}, "No difference was found in what was compared."},
		{"known", Report{Verdict: Same, Known: []compare.KnownCount{{Name: "x"}}},
			"What was compared is the same, except for 1 known kind of differences."},
		{"unproven", Report{Verdict: Unproven}, "No difference was found, but not everything could be compared: this is no verdict."},
		{"visible", Report{Verdict: Differs, Kinds: []Kind{visible}, Total: 5},
			"In what was compared, no item is missing, additional or unreadable, and no event is at another time. 5 other findings."},
		{"serious", Report{Verdict: Differs, Kinds: []Kind{serious, visible}, Total: 8}, "Not ready to move: 3 serious findings."},
	} {
		if got := test.report.headline(); got != test.want {
			t.Errorf("%s: got %s", test.name, got)
		}
	}
}

// TestSame: the share is never larger than it is.
func TestSame(t *testing.T) {
	for want, tally := range map[string]Tally{"-": {}, "100 %": {Items: 3}, "99.9 %": {Items: 20_000, Affected: 1},
		"66.6 %": {Items: 3, Affected: 1}, "0 %": {Items: 2, Affected: 2}} {
		if got := tally.Same(); got != want {
			t.Errorf("%+v: got %s, want %s", tally, got, want)
		}
	}
}

// TestPhrases: each kind of finding has words.
func TestPhrases(t *testing.T) {
	for want, k := range map[string]Kind{
		"2 events are missing on the candidate":           {Resource: "events", Kind: compare.Missing, Findings: 2},
		"1 event is only on the candidate":                {Resource: "events", Kind: compare.Extra, Findings: 1},
		"1 category answered with another status or form": {Resource: "categories", Kind: compare.Status, Findings: 1},
		"excerpt of 1 event is missing on the candidate": {Resource: "events", Member: "excerpt", Kind: compare.Missing,
			Findings: 1},
		"new of 2 tags is only on the candidate": {Resource: "tags", Member: "new", Kind: compare.Extra, Findings: 2},
		"count of 2 categories has another type": {Resource: "categories", Member: "count", Kind: compare.Type, Findings: 2},
		"organizer of 2 events has another order": {Resource: "events", Member: "organizer", Kind: compare.Order,
			Findings: 2},
		"2 lists of events in another order": {Resource: "events", Member: "events", List: true,
			Kind: compare.Order, Findings: 2},
		"total of 1 list of events differs": {Resource: "events", Member: "total", List: true,
			Kind: compare.Value, Findings: 1},
		"1 list of events answered with another status or form": {Resource: "events", List: true, Kind: compare.Status, Findings: 1},
	} {
		if got := k.Phrase(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestMarks(t *testing.T) {
	for _, test := range []struct{ want, got, marked, other string }{
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
		if a.text("[", "]") != test.marked || b.text("[", "]") != test.other {
			t.Errorf("%q and %q: %+v and %+v, want %q and %q", test.want, test.got, a, b, test.marked, test.other)
		}
	}
}

// text returns the text of a side, with marks around what changed.
func (s side) text(before, behind string) string {
	if s.Changed == "" {
		return s.Before + s.Behind
	}
	return s.Before + before + s.Changed + behind + s.Behind
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
