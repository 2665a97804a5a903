package mapping

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

func parseIDs(t testing.TB, text string) *IDs {
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
		{"none there", "events,1,0", "line 1: an id is no positive whole number"},
		{"twice", "events,1,2\nevents,01,3", "line 2: events 1 of the legacy stands twice"},
		{"twice there", "events,1,2\nevents,3,2", "line 2: events 2 there is 1 of the legacy already"},
		{"all at once", "a\nevents,1,2\nb", "line 1: not a resource and two ids, with commas between\nline 3: not a resource and two ids, with commas between"},
	} {
		ids, err := ParseIDs([]byte(test.text))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want || (ids == nil) != (err != nil) {
			t.Errorf("%s: got %v, %q, want %q", test.name, ids, got, test.want)
		}
	}
	_, err := ParseIDs([]byte(strings.Repeat("wrong\n", 1000)))
	if n := strings.Count(err.Error(), "\n") + 1; n != maxIDFaults {
		t.Errorf("%d faults are told, want %d", n, maxIDFaults)
	}
}

func TestIDsOfACall(t *testing.T) {
	b := Backend{Dialect: Tribe, IDs: parseIDs(t, someIDs)}
	for _, test := range []struct{ endpoint, item, query, body, want string }{
		{"events.read", "12", "", "", "GET /tribe/events/v1/events/7012"},
		{"events.read", "13", "", "", "GET /tribe/events/v1/events/13"},
		{"venues.read", "12", "", "", "GET /tribe/events/v1/venues/12"},
		{"events.read_by_slug", "12", "", "", "GET /tribe/events/v1/events/by-slug/12"},
		{"events.list", "", "include=12,7012,1&start_date=now", "", "GET /tribe/events/v1/events?include=1%2C7012%2C13&per_page=10&ends_before=2999-12-31"},
		{"events.list", "", "categories=5,jazz&tags=5&venue=3,12&organizer=4&post_parent=12&search=12", "", "GET /tribe/events/v1/events?categories=7005%2Cjazz&organizer=7004&per_page=10&post_parent=7012&search=12&tags=8005&venue=7003%2C12"},
		{"venues.list", "", "event=12&has_events=12&page=12", "", "GET /tribe/events/v1/venues?event=7012&has_events=12&page=12&per_page=10"},
		{"categories.list", "", "parent=5&include=5&exclude=6&event=12", "", "GET /tribe/events/v1/categories?exclude=7006&include=7005&parent=7005&per_page=10&post=7012"},
		{"tags.list", "", "include=5&exclude=6&post=12", "", "GET /tribe/events/v1/tags?exclude=6&include=8005&per_page=10&post=7012"},
		{"events.update", "12", "", `{"author":12,"title":"12","categories":[5,"5"],"tags":[5],"venue":3,"organizer":[4,{"id":4},{"organizer":"4","phone":"4","author":4}]}`,
			`POST /tribe/events/v1/events/7012 {"author":12,"title":"12","categories":[7005],"tags":[8005],"venue":7003,"organizer":[7004,{"id":7004},{"author":4,"organizer":"4","phone":"4"}]}`},
		{"categories.create", "", "", `{"name":"x","parent":5}`, `POST /tribe/events/v1/categories {"name":"x","parent":7005}`},
	} {
		call, err := parseBody(t, test.endpoint, test.item, test.query, test.body)
		if err != nil {
			t.Fatal(test.endpoint, err)
		}
		key := call.Key("en")
		if got := sent(b.Translate(call, "")); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
		if call.Key("en") != key {
			t.Errorf("%s: the call is changed", test.want)
		}
	}
}

// TestIDsAreNamed holds that every parameter and field that takes ids says whose.
func TestIDsAreNamed(t *testing.T) {
	for i := range Table {
		for _, p := range Table[i].Args() {
			ids := p.Kind == IDSet || p.Kind == TermSet || p.Kind == Terms || p.Kind == Links
			if ids && p.names() == "" {
				t.Errorf("%s: nothing says whose ids %s takes", Table[i].Name(), p.Name)
			}
		}
	}
}

func TestIDsOfAnAnswer(t *testing.T) {
	r := NewRewriter(Backend{Dialect: Tribe, IDs: parseIDs(t, someIDs)},
		[]Root{{Language: "en", Upstream: "https://new.example/wp-json", Public: "https://api.example"}}, Spellings{})
	const base = "https://new.example/wp-json/tribe/events/v1"
	for _, test := range []struct{ name, endpoint, in, want, shows string }{
		{"items", "events.read",
			`{"id":7012,"author":"7012","venue":{"id":7003,"image":{"id":7003}},"organizer":[{"id":7004},{"id":12}],"categories":[{"id":7005,"parent":7006,"term_taxonomy_id":7005}],"tags":[{"id":8005,"parent":0}]}`,
			`{"id":12,"author":"7012","venue":{"id":3,"image":{"id":7003}},"organizer":[{"id":4},{"id":12}],"categories":[{"id":5,"parent":6,"term_taxonomy_id":7005}],"tags":[{"id":5,"parent":0}]}`,
			"events:12 venues:3 organizers:4 organizers:12 categories:5 categories:6 tags:5"},
		{"list", "events.list", `{"events":[{"id":7012},{"id":13},{"id":14}]}`, `{"events":[{"id":12},{"id":7012},{"id":14}]}`, "events:12 events:7012 events:14"},
		{"links", "events.read",
			`{"rest_url":"` + base + `/events/7012","categories":[{"urls":{"collection":"` + base + `/categories","self":"` + base + `/categories/7005","up":"` + base + `\/categories\/7006?x=7006"}}]}`,
			`{"rest_url":"https://api.example/calendar/events/v1/events/12","categories":[{"urls":{"collection":"https://api.example/calendar/events/v1/categories","self":"https://api.example/calendar/events/v1/categories/5","up":"https:\/\/api.example\/calendar\/events\/v1\/categories\/6?x=7006"}}]}`, ""},
		{"paths that are none", "events.read",
			`{"a":"` + base + `/events/by-slug/7012","b":"` + base + `/events/7012x","c":"` + base + `/events/","d":"` + base + `"}`,
			`{"a":"https://api.example/calendar/events/v1/events/by-slug/7012","b":"https://api.example/calendar/events/v1/events/7012x","c":"https://api.example/calendar/events/v1/events/","d":"https://api.example/calendar/events/v1"}`, ""},
		{"people's words", "events.read", `{"title":"7012","description":"` + base + `/events/7012"}`, `{"title":"7012","description":"` + base + `/events/7012"}`, ""},
	} {
		in, want := strings.ReplaceAll(test.in, base+`\/`, strings.ReplaceAll(base, "/", `\/`)+`\/`), test.want
		got, err := r.Rewrite(&Call{Endpoint: row(t, test.endpoint), Method: http.MethodGet}, 0, http.StatusOK, []byte(in))
		if err != nil {
			t.Fatal(test.name, err)
		}
		if diff := cmp.Diff(want, string(got.Body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		var shows []string
		for _, i := range got.Shows {
			shows = append(shows, i.Resource+":"+i.ID)
		}
		if got := strings.Join(shows, " "); got != test.shows {
			t.Errorf("%s: shows %s, want %s", test.name, got, test.shows)
		}
	}
	h := r.Headers(&Call{Endpoint: row(t, "tags.create")}, 0, http.StatusCreated, http.Header{"Location": {"https://new.example/wp-json/wp/v2/tags/8005"}}, Answer{})
	if got := h.Get("Location"); got != "https://api.example/calendar/events/v1/tags/5" {
		t.Errorf("Location %s", got)
	}
}

// TestIDsOfALookup: what was looked up is the backend's, and the call the client's.
func TestIDsOfALookup(t *testing.T) {
	b := Backend{Dialect: Tribe, IDs: parseIDs(t, someIDs)}
	call, err := parseBody(t, "events.update_by_slug", "gala", "", `{"slug":"new"}`)
	if err != nil {
		t.Fatal(err)
	}
	done, err := b.Complete(call, []byte(`{"id":7012,"slug":"gala"}`))
	if err != nil {
		t.Fatal(err)
	}
	if done.Item != "12" || b.Translate(done, "").Path != "/tribe/events/v1/events/7012" {
		t.Errorf("item %s, sent as %s", done.Item, b.Translate(done, "").Path)
	}
}
