package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// TestReading: an item that only the candidate lists is left out if a read of it says so, and nothing else.
func TestReading(t *testing.T) {
	isHidden := func(item []byte) bool { return strings.Contains(string(item), "hidden") }
	c := comparer(t, compare.Rules{Known: []compare.Known{{
		Name: "hidden", Unlisted: map[string]func([]byte) bool{"events.list": isHidden},
	}}})
	list := func(total int, ids ...int) compare.Document {
		var items []string
		for _, id := range ids {
			items = append(items, fmt.Sprintf(`{"id":%d}`, id))
		}
		next := ""
		if total > 3 {
			next = `,"next_rest_url":"x"`
		}
		return ok(fmt.Sprintf(`{"events":[%s],"rest_url":"x"%s,"total":%d,"total_pages":%d}`, strings.Join(items, ","), next, total,
			(total+2)/3))
	}
	for _, test := range []struct {
		name, endpoint string
		want, got      compare.Document
		count          int // the times of the known difference
		unknown        []string
	}{
		{"one of a short list", "events.list", list(2, 1, 2), list(3, 1, 90, 2), 1, nil},
		{"a page that became two", "events.list", list(3, 1, 2, 3), list(5, 90, 1, 91), 2, nil},
		{"more on other pages", "events.list", list(6, 1, 2, 3), list(9, 90, 1, 2), 1, nil},
		{"one that is not hidden", "events.list", list(2, 1, 2), list(3, 1, 2, 7), 0, []string{"extra events[]", "value total"}},
		{"one of each", "events.list", list(1, 1), list(3, 1, 7, 90), 1, []string{"extra events[]"}},
		{"one is missing", "events.list", list(3, 1, 2, 3), list(3, 90, 1, 3), 0, []string{"missing events[]", "extra events[]"}},
		{"another order", "events.list", list(3, 1, 2, 3), list(4, 90, 2, 1), 1, []string{"order events"}},
		{"a smaller total", "events.list", list(9, 1, 2, 3), list(8, 90, 1, 2), 0,
			[]string{"missing events[]", "extra events[]", "value total"}},
		{"another list", "venues.list", list(2, 1, 2), list(3, 1, 90, 2), 0, []string{"extra events[]", "value total"}},
		{"a second page", "events.list", list(6, 4, 5, 6), list(7, 3, 4, 5), 0,
			[]string{"missing events[]", "extra events[]", "value total", "value total_pages"}},
	} {
		var requests []string
		reading := c.Reading(20, func(call *mapping.Call) (compare.Document, error) {
			requests = append(requests, call.Line())
			if strings.HasPrefix(call.Item, "9") {
				return ok("hidden"), nil
			}
			return ok("{}"), nil
		})
		var unknown []string
		r, err := reading.Compare(test.endpoint, test.want, test.got, func() (compare.Document, error) { return test.want, nil })
		for _, d := range r.Differences {
			unknown = append(unknown, string(d.Kind)+" "+d.Path)
		}
		if diff := cmp.Diff(test.unknown, unknown); diff != "" || err != nil || r.Known["hidden"] != test.count {
			t.Errorf("%s: known %d times, want %d; read %v (-want +got):\n%s", test.name, r.Known["hidden"], test.count, requests, diff)
		}
	}
}
