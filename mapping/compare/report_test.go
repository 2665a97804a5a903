package compare

import "testing"

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
	for want, k := range map[string]Group{
		"2 events are missing on the candidate":           {Subject: Subject{Resource: "events", Kind: Missing}, Findings: 2},
		"1 event is only on the candidate":                {Subject: Subject{Resource: "events", Kind: Extra}, Findings: 1},
		"1 category answered with another status or form": {Subject: Subject{Resource: "categories", Kind: Status}, Findings: 1},
		"excerpt of 1 event is missing on the candidate": {Subject: Subject{Resource: "events", Member: "excerpt", Kind: Missing},
			Findings: 1},
		"new of 2 tags is only on the candidate": {Subject: Subject{Resource: "tags", Member: "new", Kind: Extra},
			Findings: 2},
		"count of 2 categories has another type": {Subject: Subject{Resource: "categories", Member: "count", Kind: Type},
			Findings: 2},
		"organizer of 2 events has another order": {Subject: Subject{Resource: "events", Member: "organizer", Kind: Order},
			Findings: 2},
		"2 lists of events in another order": {Subject: Subject{Resource: "events", Member: "events", List: true,
			Kind: Order}, Findings: 2},
		"total of 1 list of events differs": {Subject: Subject{Resource: "events", Member: "total", List: true,
			Kind: Value}, Findings: 1},
		"1 list of events answered with another status or form": {Subject: Subject{Resource: "events", List: true, Kind: Status},
			Findings: 1},
	} {
		if got := k.Phrase(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
