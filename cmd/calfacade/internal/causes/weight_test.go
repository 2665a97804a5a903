package causes

import (
	"testing"

	"github.com/calfacade/calfacade/mapping/compare"
)

func TestWeights(t *testing.T) {
	for _, test := range []struct {
		resource, id, member string
		kind                 compare.Kind
		want                 Weight
	}{
		{"events", "1", "", compare.Missing, Serious},
		{"tags", "1", "", compare.Extra, Serious},
		{"venues", "1", "", compare.Status, Serious},
		{"events", "", "", compare.Status, Serious},
		{"events", "1", "start_date", compare.Value, Serious},
		{"events", "1", "end_date_details.day", compare.Value, Serious},
		{"events", "1", "timezone", compare.Missing, Serious},
		{"events", "1", "all_day", compare.Type, Serious},
		{"events", "1", "json_ld.startDate", compare.Value, Serious},
		{"events", "1", "title", compare.Value, Visible},
		{"events", "1", "venue", compare.Value, Visible},
		{"events", "1", "tags[]", compare.Missing, Visible},
		{"events", "1", "image.url", compare.Value, Visible},
		{"venues", "1", "website", compare.Value, Visible},
		{"events", "", "total", compare.Value, Visible},
		{"events", "1", "author", compare.Type, Technical},
		{"categories", "1", "count", compare.Value, Technical},
		{"events", "1", "new.thing", compare.Extra, Technical},
		{"none", "1", "title", compare.Value, Technical},
	} {
		if got := weigh(test.resource, test.id, test.member, test.kind); got != test.want {
			t.Errorf("%s %s %s: %s, want %s", test.resource, test.member, test.kind, got, test.want)
		}
	}
}

// TestBest: a response to a call for the item shows a finding best.
func TestBest(t *testing.T) {
	list, read := View{Endpoint: "events.list", Legacy: Answer{URL: "l", File: "l"}}, View{Endpoint: "events.read", Legacy: Answer{URL: "r"}}
	if got := (Finding{ID: "1", Views: []View{list, read}}).Best(); got != read {
		t.Errorf("got %+v", got)
	}
	if got := (Finding{Views: []View{list, {Endpoint: "events.list"}}}).Best(); got != list {
		t.Errorf("got %+v", got)
	}
	if got := (Finding{}).Best(); got != (View{}) {
		t.Errorf("got %+v", got)
	}
}

// TestJournalOfAnEarlierVersion: its differences have no causes, and are grouped by what they show.
func TestJournalOfAnEarlierVersion(t *testing.T) {
	var c Collector
	for _, item := range []string{"1", "1", "2"} {
		d := compare.Difference{Path: "title", Kind: compare.Value, Want: "a", Got: "b"}
		c.Add([]Seen{{Language: "en", Endpoint: "events.read", Call: "/events/" + item, Item: item, Difference: d}})
	}
	if r := c.Result(); len(r.Findings) != 2 || r.Findings[0].ID != "1" || r.Findings[0].Member != "title" {
		t.Errorf("got %+v", r.Findings)
	}
}
