package survey

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
