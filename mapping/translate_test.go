package mapping

import (
	"strings"
	"testing"
)

func TestTranslate(t *testing.T) {
	legacy := API{Dialect: plain, LanguageParam: "wpml_language"}
	for _, test := range []struct{ endpoint, item, query, language, want string }{
		{"events.list", "", "", "", "GET /plain/v1/events?per_page=10"},
		{"events.list", "", "categories=b,a&start_date=now&page=2&i18n_language=es", "es",
			"GET /plain/v1/events?categories=a%2Cb&page=2&per_page=10&start_date=now&wpml_language=es"},
		{"events.list", "", "include=5,3&start_date=now", "",
			"GET /plain/v1/events?include=3%2C5&per_page=10"},
		{"events.read", "583", "id=585&password=a%26b", "", "GET /plain/v1/events/583?password=a%26b"},
		{"events.read_by_slug", "a b/../c", "slug=x", "", "GET /plain/v1/events/by-slug/a%20b%2F..%2Fc"},
		{"events.delete", "583", "force=true", "", "DELETE /plain/v1/events/583"},
		{"tags.list", "", "hide_empty=0&event=5", "", "GET /plain/v1/tags?event=5&hide_empty=false&per_page=10"},
	} {
		e := row(t, test.endpoint)
		query, err := DecodeForm(test.query)
		if err != nil {
			t.Fatal(err)
		}
		call, err := Parse(e, e.Methods[0], Input{Item: test.item, Query: query}, Drop)
		if err != nil {
			t.Fatal(err)
		}
		r := legacy.Translate(call, test.language)
		if got := strings.TrimSuffix(r.Method+" "+r.Path+"?"+r.Query, "?"); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestByClock(t *testing.T) {
	for query, want := range map[string]bool{
		"events.list?": true, "events.list?start_date=2026-01-01": true, "events.list?start_date=2026-01-01&end_date=2027-01-01": false,
		"events.list?start_date=now&end_date=2027-01-01": true, "events.list?include=5": false,
		"events.list?start_date=1798761600&end_date=2027-01-01T00:00:00Z": false,
		"venues.list?": false, "venues.list?only_with_upcoming=1": true, "venues.list?only_with_upcoming=false": false, "tags.list?": false,
	} {
		endpoint, query, _ := strings.Cut(query, "?")
		call, err := parseQuery(t, endpoint, query)
		if err != nil {
			t.Fatal(err)
		}
		if got := call.ByClock(); got != want {
			t.Errorf("%s?%s: got %t", endpoint, query, got)
		}
	}
}
