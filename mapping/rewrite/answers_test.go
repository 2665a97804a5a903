package rewrite

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
	"github.com/calfacade/calfacade/mapping/tribe"
)

func TestNeutralAnswer(t *testing.T) {
	b := mapping.API{Dialect: mapping.Neutral, LanguageParam: mapping.Neutral.LanguageParam}
	r := New(b, []RootURLs{{Language: "en", Upstream: "https://new.example/wp-json", Public: "https://api.example"}}, Spellings{})
	const body = `{"id":5,"url":"https://new.example/?post_type=tribe_events&p=5",` +
		`"rest_url":"https://new.example/wp-json/calendar/events/v1/events/5?i18n_language=es",` +
		`"categories":[{"taxonomy":"tribe_events_cat"},{"taxonomy":"calendar_events_cat"}]}`
	const want = `{"id":5,"url":"https://new.example/?post_type=tribe_events&p=5",` +
		`"rest_url":"https://api.example/calendar/events/v1/events/5?i18n_language=es","categories":[{"taxonomy":"tribe_events_cat"},` +
		`{"taxonomy":"calendar_events_cat"}]}`
	got, err := r.Rewrite(t.Context(), &mapping.Call{Endpoint: mappingtest.Row(t, "events.read")}, 0, http.StatusOK, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got.Body)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	header := http.Header{}
	header.Set("X-Calendar-Total", "7")
	header.Set("X-Calendar-TotalPages", "2")
	call, err := mappingtest.ParseQuery(t, "events.list", "")
	if err != nil {
		t.Fatal(err)
	}
	h := r.Headers(call, 0, http.StatusOK, header, Result{})
	for name, want := range map[string]string{mapping.HeaderTotal: "7", mapping.HeaderTotalPages: "2"} {
		if got := strings.Join(h[name], ""); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if !strings.Contains(h.Get("Link"), "page=2") {
		t.Errorf("Link %v", h["Link"])
	}
}

func TestIDsOfAnAnswer(t *testing.T) {
	r := New(mapping.API{Dialect: tribe.Dialect, IDs: mappingtest.ParseIDs(t, someIDs)},
		[]RootURLs{{Language: "en", Upstream: "https://new.example/wp-json", Public: "https://api.example"}}, Spellings{})
	const base = "https://new.example/wp-json/tribe/events/v1"
	for _, test := range []struct{ name, endpoint, body, want, shows string }{
		{"items", "events.read",
			`{"id":7012,"author":"7012","venue":{"id":7003,"image":{"id":7003}},"organizer":[{"id":7004},{"id":12}],` +
				`"categories":[{"id":7005,"parent":7006,"term_taxonomy_id":7005}],"tags":[{"id":8005,"parent":0}]}`,
			`{"id":12,"author":"7012","venue":{"id":3,"image":{"id":7003}},"organizer":[{"id":4},{"id":12}],"categories":[{"id":5,` +
				`"parent":6,"term_taxonomy_id":7005}],"tags":[{"id":5,"parent":0}]}`,
			"events:12 venues:3 organizers:4 organizers:12 categories:5 categories:6 tags:5"},
		{"list", "events.list", `{"events":[{"id":7012},{"id":13},{"id":14}]}`, `{"events":[{"id":12},{"id":7012},{"id":14}]}`,
			"events:12 events:7012 events:14"},
		{"links", "events.read",
			`{"rest_url":"` + base + `/events/7012","categories":[{"urls":{"collection":"` + base + `/categories","self":"` + base +
				`/categories/7005","up":"` + base + `\/categories\/7006?x=7006"}}]}`,
			`{"rest_url":"https://api.example/calendar/events/v1/events/12",` +
				`"categories":[{"urls":{"collection":"https://api.example/calendar/events/v1/categories",` +
				`"self":"https://api.example/calendar/events/v1/categories/5",` +
				`"up":"https:\/\/api.example\/calendar\/events\/v1\/categories\/6?x=7006"}}]}`, ""},
		{"paths that are none", "events.read",
			`{"a":"` + base + `/events/by-slug/7012","b":"` + base + `/events/7012x","c":"` + base + `/events/","d":"` + base + `"}`,
			`{"a":"https://api.example/calendar/events/v1/events/by-slug/7012","b":"https://api.example/calendar/events/v1/events/7012x",` +
				`"c":"https://api.example/calendar/events/v1/events/","d":"https://api.example/calendar/events/v1"}`, ""},
		{"people's words", "events.read", `{"title":"7012","description":"` + base + `/events/7012"}`,
			`{"title":"7012","description":"` + base + `/events/7012"}`, ""},
	} {
		body := strings.ReplaceAll(test.body, base+`\/`, strings.ReplaceAll(base, "/", `\/`)+`\/`)
		want := test.want
		got, err := r.Rewrite(t.Context(), &mapping.Call{Endpoint: mappingtest.Row(t, test.endpoint), Method: http.MethodGet}, 0,
			http.StatusOK,
			[]byte(body))
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
	h := r.Headers(&mapping.Call{Endpoint: mappingtest.Row(t, "tags.create")}, 0, http.StatusCreated, http.Header{}, Result{ID: "5"})
	if got := h.Get("Location"); got != "https://api.example/calendar/events/v1/tags/5" {
		t.Errorf("Location %s", got)
	}
}

// TestShows: a response shows its items and those inside, each once.
func TestShows(t *testing.T) {
	list, err := mappingtest.ParseQuery(t, "events.list", "")
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"events":[{"id":5,"venue":{"id":9},"organizer":[{"id":7},{"id":8}],"categories":[{"id":3,"parent":2},{"id":2,` +
		`"parent":0}],"tags":[]},{"id":6,"venue":[]}]}`
	answer, err := testRewriter("").Rewrite(t.Context(), list, 1, http.StatusOK, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	want := []mapping.Item{{Resource: "events", ID: "5"}, {Resource: "venues", ID: "9"}, {Resource: "organizers", ID: "7"},
		{Resource: "organizers", ID: "8"}, {Resource: "categories", ID: "3"}, {Resource: "categories",
			ID: "2"}, {Resource: "events", ID: "6"}}
	if diff := cmp.Diff(want, answer.Shows); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

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
