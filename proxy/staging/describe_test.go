package staging

import "testing"

func TestDescribe(t *testing.T) {
	cells := Cells([]string{"events", "venues", "tags"}, []string{"en", "es"})
	for want, cells := range map[string][]Cell{
		"": nil,
		"reads and writes of events, venues, tags in en, es":                           cells,
		"reads and writes of events in es; reads and writes of venues, tags in en, es": cells[2:],
		"reads and writes of events, venues in en, es; reads and writes of tags in en": cells[:10],
		"reads of events in en, es; writes of events in es":                            {cells[0], cells[2], cells[3]},
		"reads of events in en": {cells[0], cells[0]},
		"reads of events in en; reads and writes of venues in en; reads of tags in en, es": {cells[0], cells[4], cells[5], cells[8], cells[10]},
	} {
		if got := Describe(cells); got != want {
			t.Errorf("%v: got %q, want %q", cells, got, want)
		}
	}
}
