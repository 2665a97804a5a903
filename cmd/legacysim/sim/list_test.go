package sim

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping/recordedtest"
)

var en = seedOf("en").Special

// TestEventFilters makes events that only their own filter finds.
func TestEventFilters(t *testing.T) {
	c := newClient(t).signedIn("admin")
	venue := c.send(201, "POST", api+"/venues", `{"venue":"Test quay"}`).id()
	organizer := c.send(201, "POST", api+"/organizers", `{"organizer":"Test crew"}`).id()
	parent := c.send(201, "POST", api+"/categories", `{"name":"Test parent"}`).id()
	c.send(201, "POST", api+"/categories", `{"name":"Test child","parent":`+parent+`}`)
	c.send(201, "POST", api+"/tags", `{"name":"Test tag"}`)
	created := c.send(201, "POST", api+"/events", `{"title":"Zebra crossing","start_date":"2031-05-05 10:00","end_date":"2031-05-05 12:00",
		"venue":`+venue+`,"organizer":[`+organizer+`],"categories":["test-child"],"featured":true}`).id()

	tests := []struct {
		name, query string
		want        []any
	}{
		{"default window", "search=zebra", []any{}},
		{"start_date", "search=zebra&start_date=2031-05-05&end_date=2031-05-05", []any{"Zebra crossing"}},
		{"end of the day", "search=zebra&start_date=2031-05-05 23:00&end_date=2031-05-06", []any{"Zebra crossing"}},
		{"strict", "search=zebra&start_date=2031-05-05 23:00&end_date=2031-05-06&strict_dates=true", []any{}},
		{"strict banana", "search=zebra&start_date=2031-05-05 23:00&end_date=2031-05-06&strict_dates=banana", []any{"Zebra crossing"}},
		{"overlap", "search=zebra&start_date=2031-05-05 10:00&end_date=2031-05-05 10:30&strict_dates=1", []any{"Zebra crossing"}},
		{"strict by the clock of UTC", "search=zebra&start_date=2031-05-05 11:00&end_date=2031-05-05 11:30&strict_dates=1", []any{}},
		{"starts_after", "search=zebra&starts_after=2031-05-04", []any{"Zebra crossing"}},
		{"starts_after takes the day", "search=zebra&starts_after=2031-05-05", []any{}},
		{"starts_before", "search=zebra&starts_before=2031-05-05", []any{"Zebra crossing"}},
		{"ends_before", "search=zebra&ends_before=2031-05-04", []any{}},
		{"ends_after", "search=zebra&ends_after=2031-05-04", []any{"Zebra crossing"}},
		{"venue", "starts_after=2027-01-01&venue=" + venue, []any{"Zebra crossing"}},
		{"organizer", "starts_after=2027-01-01&organizer=" + organizer, []any{"Zebra crossing"}},
		{"category", "starts_after=2027-01-01&categories=test-child", []any{"Zebra crossing"}},
		{"category above", "starts_after=2027-01-01&categories=" + parent, []any{"Zebra crossing"}},
		{"tag", "starts_after=2027-01-01&tags=test-tag", []any{}},
		{"featured", "starts_after=2027-01-01&featured=false&search=zebra", []any{}},
		{"include keeps the window", "include=" + created, []any{}},
		{"include ignores the window's values", "include=" + created + "&start_date=2031-01-01&end_date=2032-01-01", []any{}},
		{"include and another date", "include=" + created + "&ends_after=1970-01-02", []any{"Zebra crossing"}},
		{"include, another date and the window", "include=" + created + "&ends_after=1970-01-02&end_date=2999-12-31", []any{}},
		{"words apart", "starts_after=2027-01-01&search=crossing zebra", []any{"Zebra crossing"}},
		{"phrase", `starts_after=2027-01-01&search="crossing zebra"`, []any{}},
		{"epoch", "search=zebra&start_date=1935576000&end_date=2031-06-01", []any{"Zebra crossing"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := api + "/events?" + strings.NewReplacer(" ", "%20", `"`, "%22").Replace(tt.query)
			if diff := cmp.Diff(tt.want, c.get(path).column("events", "title")); diff != "" {
				t.Errorf("titles (-want +got):\n%s", diff)
			}
		})
	}
}

// TestListRefuses: requests that only the site can know to be wrong.
func TestListRefuses(t *testing.T) {
	c := newClient(t)
	for _, query := range []string{
		"events?categories=none-such", "events?tags=999999", "events?venue=999999", "events?post_parent=999999", "events?ticketed=true",
		"events?status=draft", "events?wpml_language=xx", "categories?parent=0", "categories?include=999999", "venues?event=1",
		"events/by-slug/none-such", "venues/1",
	} {
		if got := c.fails(400, "GET", api+"/"+query, ""); got != "rest_invalid_param" {
			t.Errorf("%s: code %q", query, got)
		}
	}
	for path, code := range map[string]string{
		"/events?page=999": "event-archive-page-not-found",
		"/events/999999":   "rest-event-not-found",
		"/nope":            "rest_no_route",
		"":                 "rest_no_route",
	} {
		if got := c.fails(404, "GET", api+path, ""); got != code {
			t.Errorf("%s: code %q", path, got)
		}
	}
}

func TestPagingLinks(t *testing.T) {
	got := newClient(t).get(api + "/events?per_page=1&page=2&featured=true&strict_dates=false")
	first := "http://legacy.test" + api + "/events/?"
	encoded := "per_page=1&start_date=2027-02-02+00%3A00%3A00&end_date=2029-02-03+23%3A59%3A59&status=publish&featured=1"
	want := []any{
		first + "page=2&per_page=1&start_date=2027-02-02 00:00:00&end_date=2029-02-03 23:59:59&status=publish&featured=1",
		first + encoded + "&page=3",
		first + encoded,
	}
	if diff := cmp.Diff(want, []any{got["rest_url"], got["next_rest_url"], got["previous_rest_url"]}); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPlaceFilters(t *testing.T) {
	c := newClient(t).signedIn("admin")
	venue := c.send(201, "POST", api+"/venues", `{"venue":"Test quay","city":"Nowhere on Sea"}`)
	if got := c.total(api + "/venues?search=nowhere"); got != 1 {
		t.Errorf("search by city: total = %d, want 1", got)
	}
	total := c.total(api + "/venues")
	if got := c.get(api + "/venues?search=zzzz"); int(got["total"].(float64)) != total || len(got["venues"].([]any)) != 0 {
		t.Errorf("a search without a hit lists nothing but counts all: got %v of %d", got["total"], total)
	}
	unused := func() []any { return c.get(api+"/venues?has_events=false&per_page=50").column("venues", "id") }
	if !slices.Contains(unused(), venue["id"]) {
		t.Error("has_events=false does not list a new venue")
	}
	event := c.send(201, "POST", api+"/events", `{"title":"x","start_date":"tomorrow","end_date":"tomorrow","venue":`+venue.id()+`}`)
	if slices.Contains(unused(), venue["id"]) {
		t.Error("has_events=false still lists the venue")
	}
	if got := c.get(api+"/venues?event="+event.id()).column("venues", "id"); !cmp.Equal(got, []any{venue["id"]}) {
		t.Errorf("event: got %v", got)
	}
	if !slices.Contains(c.get(api+"/venues?only_with_upcoming=true&per_page=50").column("venues", "id"), venue["id"]) {
		t.Error("only_with_upcoming does not list the venue")
	}
	if got := c.total(api + "/venues?include=" + venue.id()); got != total {
		t.Errorf("include is ignored: total = %d, want %d", got, total)
	}
}

func TestTermFilters(t *testing.T) {
	c := newClient(t)
	names := func(query string) []any { return c.get(api+"/categories?"+query).column("categories", "name") }
	tests := []struct {
		query string
		want  []any
	}{
		{"search=SILENT", []any{"Silent Film"}},
		{"slug=folk-nights", []any{"Folk Nights"}},
		{"include=2,1", []any{"Boat Trips", "On the Water"}},
		{"parent=1&order=desc", []any{"Rowing", "Boat Trips"}},
		{"parent=1&orderby=id", []any{"Boat Trips", "Rowing"}},
		{"include=1,2,3&exclude=2&order=sideways", []any{"Tall Ships", "On the Water"}},
		{"page=99", []any{}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, names(tt.query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.query, diff)
		}
	}
	e := c.get(api + "/events/by-slug/" + slugOf(en["trio"]))
	if diff := cmp.Diff([]any{"Boat Trips", "On the Water"}, names("event="+e.id())); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
}

// TestRecordedOrders: the terms of the recordings list-orderby-* are listed in the recorded order.
func TestRecordedOrders(t *testing.T) {
	type recordedTerm struct {
		ID, Count  int
		Name, Slug string
	}
	for _, resource := range []string{"categories", "tags"} {
		files := recordedtest.Files(t, resource+"/en/list-orderby-*")
		lists := map[string][]recordedTerm{}
		c := newClient(t)
		b := newBlog(languages()[0])
		c.site.blogs["en"] = b
		for _, file := range files {
			var body map[string]json.RawMessage
			var terms []recordedTerm
			x := recordedtest.Read(t, file)
			if json.Unmarshal(x.Response.Body, &body) != nil || json.Unmarshal(body[resource], &terms) != nil {
				t.Fatal(file)
			}
			lists[x.Request.Path] = terms
			for _, recorded := range terms {
				if b.terms[recorded.ID] != nil {
					continue
				}
				b.terms[recorded.ID] = &term{item: item{id: recorded.ID, kind: kindOf[resource], slug: recorded.Slug}, name: storedName(recorded.Name)}
				for range recorded.Count {
					b.addPost(&post{item: item{kind: eventKind}, status: "publish", event: &eventData{tags: []int{recorded.ID}}})
				}
			}
		}
		for path, want := range lists {
			var got []recordedTerm
			data, _ := json.Marshal(c.get(path)[resource])
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatal(err)
			}
			for i := range got { // terms that are alike are in no order, and & is written in two ways
				got[i].Name = want[i].Name
				if strings.Contains(path, "=count") {
					got[i] = recordedTerm{Count: got[i].Count}
					want[i] = recordedTerm{Count: want[i].Count}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
	}
}
