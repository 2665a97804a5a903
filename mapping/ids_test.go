package mapping

import (
	"strings"
	"testing"
)

const someIDs = `
# events of the site that was imported last
events,12,7012
events,7012,13
venues, 3 ,7003
organizers,4,7004
categories,5,7005
categories,6,7006
tags,5,8005
`

func parseIDs(t testing.TB, text string) IDs {
	t.Helper()
	ids, err := ParseIDs([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestParseIDs(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"lines of Windows", "events,1,2\r\n", ""},
		{"the other way round", "events,1,2\nevents,2,1", ""},
		{"in another resource", "tags,1,2\ncategories,1,2", ""},
		{"two parts", "events,1", "line 1: not a resource and two ids, with commas between"},
		{"four parts", "events,1,2,3", "line 1: not a resource and two ids, with commas between"},
		{"resource", "posts,1,2", `line 1: "posts" is no resource; there are events, venues, organizers, categories, tags`},
		{"control characters", "ev\x07ents,1,2", `line 1: "events" is no resource; there are events, venues, organizers, categories, tags`},
		{"no id", "\n#\nevents,a,2", "line 3: an id is no positive whole number"},
		{"zero as the other id", "events,1,0", "line 1: an id is no positive whole number"},
		{"twice", "events,1,2\nevents,01,3", "line 2: events 1 of the legacy stands twice"},
		{"another id twice", "events,1,2\nevents,3,2", "line 2: events 2 there is 1 of the legacy already"},
		{"all at once", "a\nevents,1,2\nb",
			"line 1: not a resource and two ids, with commas between\nline 3: not a resource and two ids, with commas between"},
	} {
		ids, err := ParseIDs([]byte(test.text))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want || (ids.String() == "") != (err != nil) {
			t.Errorf("%s: got %v, %q, want %q", test.name, ids, got, test.want)
		}
	}
	_, err := ParseIDs([]byte(strings.Repeat("wrong\n", 1000)))
	if n := strings.Count(err.Error(), "\n") + 1; n != maxIDFaults {
		t.Errorf("%d faults are reported, want %d", n, maxIDFaults)
	}
}

func TestIDsOfACall(t *testing.T) {
	b := API{Dialect: plain, IDs: parseIDs(t, someIDs)}
	for _, test := range []struct{ endpoint, item, query, body, want string }{
		{"events.read", "12", "", "", "GET /plain/v1/events/7012"},
		{"events.read", "13", "", "", "GET /plain/v1/events/13"},
		{"venues.read", "12", "", "", "GET /plain/v1/venues/12"},
		{"events.read_by_slug", "12", "", "", "GET /plain/v1/events/by-slug/12"},
		{"events.list", "", "include=12,7012,1&start_date=now", "",
			"GET /plain/v1/events?include=1%2C7012%2C13&per_page=10"},
		{"events.list", "", "categories=5,jazz&tags=5&venue=3,12&organizer=4&post_parent=12&search=12", "",
			"GET /plain/v1/events?categories=7005%2Cjazz&organizer=7004&per_page=10&post_parent=7012&search=12&tags=8005&venue=7003%2C12"},
		{"venues.list", "", "event=12&has_events=12&page=12", "",
			"GET /plain/v1/venues?event=7012&has_events=12&page=12&per_page=10"},
		{"categories.list", "", "parent=5&include=5&exclude=6&event=12", "",
			"GET /plain/v1/categories?event=7012&exclude=7006&include=7005&parent=7005&per_page=10"},
		{"tags.list", "", "include=5&exclude=6&post=12", "", "GET /plain/v1/tags?exclude=6&include=8005&per_page=10&post=7012"},
		{"events.update", "12", "",
			`{"author":12,"title":"12","categories":[5,"5"],"tags":[5],"venue":3,"organizer":[4,{"id":4},{"organizer":"4",` +
				`"phone":"4","author":4}]}`,
			`POST /plain/v1/events/7012 ` +
				`{"author":12,"title":"12","categories":[7005],"tags":[8005],"venue":7003,"organizer":[7004,{"id":7004},{"author":4,` +
				`"organizer":"4","phone":"4"}]}`},
		{"categories.create", "", "", `{"name":"x","parent":5}`, `POST /plain/v1/categories {"name":"x","parent":7005}`},
	} {
		call, err := parseBody(t, test.endpoint, test.item, test.query, test.body)
		if err != nil {
			t.Fatal(test.endpoint, err)
		}
		key := call.Key("s", "en")
		if got := spelled(b.Translate(call, "")); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
		if call.Key("s", "en") != key {
			t.Errorf("%s: the call was changed", test.want)
		}
	}
}

// TestIDsAreNamed checks that every parameter and field with ids names their resource.
func TestIDsAreNamed(t *testing.T) {
	for _, e := range Table {
		for _, p := range e.Args {
			ids := p.Kind == IDSet || p.Kind == TermSet || p.Kind == Terms || p.Kind == Links
			if ids && p.IDResource() == "" {
				t.Errorf("%s: the ids of %s have no resource", e.Name(), p.Name)
			}
		}
	}
}
