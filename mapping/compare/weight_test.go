package compare

import "testing"

func TestWeights(t *testing.T) {
	for _, test := range []struct {
		resource, id, member string
		want                 Weight
	}{
		{"events", "1", "", Serious},
		{"tags", "1", "", Serious},
		{"venues", "1", "", Serious},
		{"events", "", "", Serious},
		{"events", "1", "start_date", Serious},
		{"events", "1", "end_date_details.day", Serious},
		{"events", "1", "timezone", Serious},
		{"events", "1", "all_day", Serious},
		{"events", "1", "json_ld.startDate", Serious},
		{"events", "1", "title", Visible},
		{"events", "1", "venue", Visible},
		{"events", "1", "tags[]", Visible},
		{"events", "1", "image.url", Visible},
		{"venues", "1", "website", Visible},
		{"events", "", "total", Visible},
		{"events", "1", "author", Technical},
		{"categories", "1", "count", Technical},
		{"events", "1", "new.thing", Technical},
		{"none", "1", "title", Technical},
	} {
		if got := weigh(test.resource, test.id, test.member); got != test.want {
			t.Errorf("%s %s: %s, want %s", test.resource, test.member, got, test.want)
		}
	}
}
