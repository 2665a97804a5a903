package staging

import "testing"

func TestDescribe(t *testing.T) {
	all := Cells([]string{"events", "venues", "tags"}, []string{"en", "es"})
	for want, cells := range map[string][]Cell{
		"": nil,
		"reads and writes of events, venues, tags in en, es":                           all,
		"reads and writes of events in es; reads and writes of venues, tags in en, es": all[2:],
		"reads and writes of events, venues in en, es; reads and writes of tags in en": all[:10],
		"reads of events in en, es; writes of events in es":                            {all[0], all[2], all[3]},
		"reads of events in en": {all[0], all[0]},
		"reads of events in en; reads and writes of venues in en; reads of tags in en, es": {all[0], all[4], all[5], all[8], all[10]},
	} {
		if got := Describe(cells); got != want {
			t.Errorf("%v: got %q, want %q", cells, got, want)
		}
	}
}
