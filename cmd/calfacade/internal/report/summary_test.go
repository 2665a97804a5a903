package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/causes"
	"github.com/calfacade/calfacade/mapping/compare"
)

func TestSummary(t *testing.T) {
	serious := []causes.Kind{{Resource: "events", Kind: compare.Missing, Weight: causes.Serious, Findings: 2}, {Resource: "categories", Kind: compare.Status, Weight: causes.Serious, Findings: 1}}
	visible := causes.Kind{Resource: "events", Member: "title", Kind: compare.Value, Weight: causes.Visible, Findings: 5}
	cells := []Tally{{Language: "en", Resource: "events", Items: 10, Affected: 4, Findings: 6}, {Language: "es", Resource: "categories", Items: 2, Affected: 1, Findings: 2}}
	narrowed := []Narrowed{{Language: "en", Resource: "tags", Of: "candidate", Refused: "/tags?per_page=50", Why: "status 400", Sent: "/tags", Without: []string{"hide_empty"}}}
	for _, test := range []struct {
		name     string
		report   Report
		headline string
		lines    []string
	}{
		{"same", Report{Verdict: Same, Cells: []Tally{{Language: "en", Items: 1, Noise: 1}}}, "No difference was found in what was compared.", []string{
			"Compared: 1 item of the legacy site in en. The same: 1. With findings: 0.",
			"1 difference of the legacy site from itself is not counted.",
		}},
		{"known", Report{Verdict: Same, Known: []compare.KnownCount{{Name: "x"}}}, "What was compared is the same, except for 1 known kind of differences.", nil},
		{"in part", Report{Verdict: Same, Narrowed: narrowed}, "No difference was found, but some lists could be compared in part only.", nil},
		{"unproven", Report{Verdict: Unproven, Cells: []Tally{{Failed: 2}}}, "No difference was found, but not everything could be compared: this is no verdict.", nil},
		{"visible", Report{Verdict: Differs, Result: causes.Result{Kinds: []causes.Kind{visible}, Total: 5}},
			"In what was compared, no item is missing, additional or unreadable, and no event is at another time. 5 other findings.", nil},
		{"serious", Report{Verdict: Differs, Sample: 20, Cells: cells, Narrowed: narrowed, Result: causes.Result{Kinds: append(serious, visible), Total: 8}},
			"Not ready to move: 3 serious findings.", []string{
				"Compared: 12 items of the legacy site in en, es. The same: 7. With findings: 5.",
				"The lists were compared completely. Of the items of each, about 20 were also read one by one.",
				"Serious: 2 events are missing on the candidate; 1 category answered with another status or form.",
				"Visible to visitors: title of 5 events differs.",
				"By resource: events 6, categories 2.",
				"By language: en 6, es 2.",
				"Of 1 list a site refused the widest call, and both were sent a smaller one; see below.",
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := test.report.Summarize()
			if s.Headline != test.headline {
				t.Errorf("got %s", s.Headline)
			}
			if diff := cmp.Diff(test.lines, s.Lines); test.lines != nil && diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPhrases: each kind of finding has words.
func TestPhrases(t *testing.T) {
	for want, k := range map[string]causes.Kind{
		"1 event is only on the candidate":                      {Resource: "events", Kind: compare.Extra, Findings: 1},
		"excerpt of 1 event is missing on the candidate":        {Resource: "events", Member: "excerpt", Kind: compare.Missing, Findings: 1},
		"new of 2 tags is only on the candidate":                {Resource: "tags", Member: "new", Kind: compare.Extra, Findings: 2},
		"count of 2 categories has another type":                {Resource: "categories", Member: "count", Kind: compare.Type, Findings: 2},
		"organizer of 2 events has another order":               {Resource: "events", Member: "organizer", Kind: compare.Order, Findings: 2},
		"2 lists of events in another order":                    {Resource: "events", Member: "events", List: true, Kind: compare.Order, Findings: 2},
		"total of 1 list of events differs":                     {Resource: "events", Member: "total", List: true, Kind: compare.Value, Findings: 1},
		"1 list of events answered with another status or form": {Resource: "events", List: true, Kind: compare.Status, Findings: 1},
	} {
		if got := phrase(k); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestManyKindsAreNotAllNamed: a sentence stays short.
func TestManyKindsAreNotAllNamed(t *testing.T) {
	var r Report
	for range 20 {
		r.Kinds = append(r.Kinds, causes.Kind{Resource: "events", Member: "m", Kind: compare.Value, Weight: causes.Technical, Findings: 2})
	}
	if got := r.phrases(causes.Technical); !strings.HasSuffix(got, "; 28 other findings.") {
		t.Error(got)
	}
}
