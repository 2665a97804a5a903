package mapping

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNeutralTranslate: requests are sent as clients write them, without the corrections that
// the legacy needs.
func TestNeutralTranslate(t *testing.T) {
	b := API{Dialect: Neutral, LanguageParam: Neutral.LanguageParam}
	for _, test := range []struct{ endpoint, item, query, body, want string }{
		{"events.list", "", "", "", "GET /calendar/events/v1/events?per_page=10&i18n_language=es"},
		{"events.list", "", "include=5,3&start_date=now", "", "GET /calendar/events/v1/events?include=3%2C5&per_page=10&i18n_language=es"},
		{"events.list", "", "start_date=1970-01-01", "",
			"GET /calendar/events/v1/events?per_page=10&start_date=1970-01-01&i18n_language=es"},
		{"events.read", "583", "password=a%26b", "", "GET /calendar/events/v1/events/583?password=a%26b&i18n_language=es"},
		{"events.update_by_slug", "gala", "", `{"slug":"new","start_date":"2027-01-01"}`,
			`POST /calendar/events/v1/events/by-slug/gala?i18n_language=es {"slug":"new","start_date":"2027-01-01"}`},
		{"events.update", "5", "", `{"password":"secret","title":"x"}`,
			`POST /calendar/events/v1/events/5?i18n_language=es {"password":"secret","title":"x"}`},
	} {
		call, err := parseBody(t, test.endpoint, test.item, test.query, test.body)
		if err != nil {
			t.Fatal(err)
		}
		preview, request := Neutral.Client(b, Environment{Language: "es"}).Preview(call)
		if preview.Path != "" {
			t.Errorf("%s: a lookup", test.want)
		}
		if diff := cmp.Diff(test.want, spelled(request)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// plain is a dialect of a backend that has the table's names and no defects.
var plain = &Dialect{Namespace: "plain/v1", Total: "X-Total", TotalPages: "X-Totalpages"}

// spelled formats a request as one line.
func spelled(r Request) string {
	return strings.TrimSpace(strings.TrimSuffix(r.Method+" "+r.Path+"?"+r.Query, "?") + " " + string(r.Body))
}
