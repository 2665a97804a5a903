package mapping

import (
	"slices"
	"strings"
	"testing"
)

// legacyNames is a backend with clients that speak its names.
var legacyNames = API{Dialect: plain}

// TestLegacyFilters: in the legacy's names the site gets filters as the client sent them, and its
// own response has a key of its own (recordings events/en/list-include-array, list-include-far-future,
// list-several-tags-*, list-status-csv-as-admin, settings/en/posts-per-page-3-events,
// tags/en/list-event-unknown). No recording shows repeated parameters, an empty search, a list of
// statuses or commas in the elements of a list.
func TestLegacyFilters(t *testing.T) {
	for _, test := range []struct{ row, query, want, neutral string }{
		{"events.list", "", "", "per_page=10"},
		{"venues.list", "page=2", "page=2", "page=2&per_page=10"},
		{"tags.list", "per_page=10", "per_page=10", "per_page=10"},
		{"events.list", "categories=10&categories=28", "categories=28", "categories=10%2C28&per_page=10"},
		{"events.list", "status[]=publish&status[]=draft", "status=publish%2Cdraft", "status:type"},
		{"venues.list", "status[]=publish&status[]=draft", "status=publish%2Cdraft", "status:type"},
		{"categories.list", "post=5&event=6", "event=6", "event:alias"},
		{"tags.list", "event=6&post=6", "event=6", "per_page=10&post=6"},
		{"tags.list", "event=6", "event=6", "event=6&per_page=10"},
		{"events.list", "include[]=1,2", "include:type", "include=1%2C2&per_page=10"},
		{"events.list", "categories[]=1,2", "categories:type", "categories=1%2C2&per_page=10"},
		{"events.list", "categories=28,,10,&tags[]=&tags[]=7", "categories=10%2C28&tags=7", "categories=10%2C28&per_page=10&tags=7"},
		{"events.list", "search=", "search:empty", "per_page=10"},
		{"tags.list", "search=", "search:empty", "per_page=10"},
		{"events.list", "include[]=605&include[]=583", "include=605%2C583", "include=583%2C605&per_page=10"},
		{"events.list", "include=5&start_date=2027-01-01", "include=5&start_date=2027-01-01",
			"include=5&per_page=10"},
		{"events.list", "organizer=9,8", "organizer=9%2C8", "organizer=8%2C9&per_page=10"},
		{"events.list", "tags[]=talk&tags[]=free&tags[]=7", "tags=talk%2Cfree%2C7", "per_page=10&tags=7%2Cfree%2Ctalk"},
	} {
		decoded, err := DecodeForm(test.query)
		if err != nil {
			t.Fatal(err)
		}
		keys := map[string]string{}
		for i, want := range []string{test.want, test.neutral} {
			legacy := i == 0
			input := Input{Query: decoded}
			if legacy {
				input = Input{Query: legacyNames.FromLegacy(decoded), InLegacyNames: true}
			}
			call, err := Parse(row(t, test.row), "GET", input, Drop)
			got := reasons(err)
			if err == nil {
				got = sortedQuery(legacyNames.Translate(call, "").Query)
				if first, ok := keys[call.Key("s", "en")]; ok && first != got {
					t.Errorf("%s: %q and %q have one key", test.query, got, first)
				}
				keys[call.Key("s", "en")] = got
			}
			if got != want {
				t.Errorf("%s?%s, legacy %t: got %q, want %q", test.row, test.query, legacy, got, want)
			}
		}
	}
}

func sortedQuery(query string) string {
	pairs := strings.Split(query, "&")
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}
