package survey

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping/compare"
)

func TestCSV(t *testing.T) {
	var r Report
	r.Findings = []compare.Finding{{
		Subject:  compare.Subject{Resource: "events", Member: "title", Kind: "value", Weight: compare.Visible},
		Language: "en", ID: "7", CandidateID: "9", Name: "Open day",
		Want: "a \"quoted\", long\nline", Got: `=HYPERLINK("http://x")`, Responses: 4, URL: "https://api.example/events/7",
		Legacy: compare.Answer{URL: "https://old.example/7"}, Candidate: compare.Answer{URL: "https://new.example/9"},
	}}
	var b strings.Builder
	if err := r.writeCSV(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "weight,language,resource,id,candidate_id,member,kind,legacy_value,candidate_value,responses,"+
		"url,legacy_url,candidate_url,name\r\n") {
		t.Error(b.String())
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"visible", "en", "events", "7", "9", "title", "value", "a \"quoted\", long\nline", `'=HYPERLINK("http://x")`, "4",
		"https://api.example/events/7", "https://old.example/7", "https://new.example/9", "Open day"}
	if diff := cmp.Diff(want, rows[1]); len(rows) != 2 || diff != "" {
		t.Errorf("%d rows: %s", len(rows), diff)
	}
}

// TestFormulas: no value of a site is a formula in a spreadsheet.
func TestFormulas(t *testing.T) {
	for _, s := range []string{"=1", "+1", "-1", "@a", "\t=1", "\r=1", "\n=1", "  =1", "\u00a0=1", "＝1"} {
		if got := noFormula(s); got != "'"+s {
			t.Errorf("%q is written as %q", s, got)
		}
	}
	for _, s := range []string{"", " ", "1=1", "a-b", "2027-01-01", "'=1", "é"} {
		if got := noFormula(s); got != s {
			t.Errorf("%q is written as %q", s, got)
		}
	}
}
