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
	for want, s := range map[string]Subject{
		"events: missing on the candidate":            {Resource: "events", Kind: Missing},
		"events: only on the candidate":               {Resource: "events", Kind: Extra},
		"categories: answered with another status":    {Resource: "categories", Kind: Status},
		"excerpt of events: missing on the candidate": {Resource: "events", Member: "excerpt", Kind: Missing},
		"count of categories: another type":           {Resource: "categories", Member: "count", Kind: Type},
		"organizer of events: another order":          {Resource: "events", Member: "organizer", Kind: Order},
		"lists of events: another order":              {Resource: "events", Member: "events", List: true, Kind: Order},
		"total of lists of events: another value":     {Resource: "events", Member: "total", List: true, Kind: Value},
	} {
		if got := (Group{Subject: s}).Phrase(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
