package sim

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var en = seedOf("en").Special

// TestEventFilters makes events that only their own filter finds.
func TestEventFilters(t *testing.T) {
	c := newClient(t).as("admin")
	venue := c.send(201, "POST", api+"/venues", `{"venue":"Test quay"}`).id()
	organizer := c.send(201, "POST", api+"/organizers", `{"organizer":"Test crew"}`).id()
	parent := c.send(201, "POST", api+"/categories", `{"name":"Test parent"}`).id()
	c.send(201, "POST", api+"/categories", `{"name":"Test child","parent":`+parent+`}`)
	c.send(201, "POST", api+"/tags", `{"name":"Test tag"}`)
	made := c.send(201, "POST", api+"/events", `{"title":"Zebra crossing","start_date":"2031-05-05 10:00","end_date":"2031-05-05 12:00",
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
		{"organizer", "starts_after=2027-01-01&organizer[]=" + organizer, []any{"Zebra crossing"}},
		{"category", "starts_after=2027-01-01&categories=test-child", []any{"Zebra crossing"}},
		{"category above", "starts_after=2027-01-01&categories=" + parent, []any{"Zebra crossing"}},
		{"tag", "starts_after=2027-01-01&tags=test-tag", []any{}},
		{"featured", "starts_after=2027-01-01&featured=false&search=zebra", []any{}},
		{"include keeps the window", "include=" + made, []any{}},
		{"include ignores the window's values", "include=" + made + "&start_date=2031-01-01&end_date=2032-01-01", []any{}},
		{"include and another date", "include=" + made + "&ends_after=1970-01-02", []any{"Zebra crossing"}},
		{"include, another date and the window", "include=" + made + "&ends_after=1970-01-02&end_date=2999-12-31", []any{}},
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

func TestEventListRefuses(t *testing.T) {
	c := newClient(t)
	for _, query := range []string{
		"page=0", "page=x", "page=1.5", "per_page=0", "per_page=-1", "per_page=", "start_date=soon", "start_date=", "search[]=a", "search=",
		"categories=none-such", "tags=999999", "venue=999999", "organizer=abc", "include=abc", "post_parent=999999", "ticketed=true",
		"featured=maybe",
		"status=draft", "status=bogus", "wpml_language=", "wpml_language=xx", "status=any", "status=", "featured=", "geoloc=",
		"strict_dates=0",
		"start_date=1970-01-01", "end_date=1970-01-01", "ends_after=1970-01-01%2000:00:00", "per_page=99999999999999999999",
		"post_parent[]=1",
	} {
		if got := c.fails(400, "GET", api+"/events?"+query, ""); got != "rest_invalid_param" {
			t.Errorf("%s: code = %q", query, got)
		}
	}
	if got := c.fails(404, "GET", api+"/events?page=999", ""); got != "event-archive-page-not-found" {
		t.Errorf("page past the end: code = %q", got)
	}
}

func TestPagingLinks(t *testing.T) {
	c := newClient(t)
	first := "http://legacy.test" + api + "/events/?"
	tests := []struct {
		query, self, next, previous string
	}{
		{
			"per_page=3&page=2&categories=1&strict_dates=false",
			"page=2&per_page=3&start_date=2027-02-02 00:00:00&end_date=2029-02-03 23:59:59&status=publish",
			"per_page=3&start_date=2027-02-02+00%3A00%3A00&end_date=2029-02-03+23%3A59%3A59&status=publish&page=3",
			"per_page=3&start_date=2027-02-02+00%3A00%3A00&end_date=2029-02-03+23%3A59%3A59&status=publish",
		},
		{
			"per_page=1&featured=true&start_date=tomorrow",
			"page=1&per_page=1&start_date=2027-02-04+00%3A00%3A00&end_date=2029-02-03+23%3A59%3A59&status=publish&featured=1",
			"per_page=1&start_date=2027-02-04+00%3A00%3A00&end_date=2029-02-03+23%3A59%3A59&status=publish&featured=1&page=2",
			"",
		},
	}
	for _, tt := range tests {
		got := c.get(api + "/events?" + tt.query)
		previous, _ := got["previous_rest_url"].(string)
		want := []any{first + tt.self, first + tt.next, tt.previous}
		have := []any{got["rest_url"], got["next_rest_url"], strings.TrimPrefix(previous, first)}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.query, diff)
		}
	}
}

func TestPagesAreDisjointAndComplete(t *testing.T) {
	c := newClient(t)
	for _, key := range []string{"events", "venues", "organizers", "categories", "tags"} {
		total := c.total(api + "/" + key + "?per_page=7")
		seen := map[any]bool{}
		for page := 1; page <= (total+6)/7; page++ {
			for _, id := range c.get(api+"/"+key+"?per_page=7&page="+itoa(page)).column(key, "id") {
				if seen[id] {
					t.Errorf("%s: %v is on two pages", key, id)
				}
				seen[id] = true
			}
		}
		if len(seen) != total {
			t.Errorf("%s: %d on all pages, total says %d", key, len(seen), total)
		}
	}
}

func TestPlaceFilters(t *testing.T) {
	c := newClient(t).as("admin")
	venue := c.send(201, "POST", api+"/venues", `{"venue":"Test quay","city":"Nowhere on Sea"}`)
	if got := c.total(api + "/venues?search=nowhere"); got != 1 {
		t.Errorf("search by city: total = %d, want 1", got)
	}
	all := c.total(api + "/venues")
	if got := c.get(api + "/venues?search=zzzz"); int(got["total"].(float64)) != all || len(got["venues"].([]any)) != 0 {
		t.Errorf("a search without a hit lists nothing but counts all: got %v of %d", got["total"], all)
	}
	unused := func() []any { return c.get(api+"/venues?has_events=false&per_page=50").column("venues", "id") }
	if !contains(unused(), venue["id"]) {
		t.Error("has_events=false does not list a new venue")
	}
	event := c.send(201, "POST", api+"/events", `{"title":"x","start_date":"tomorrow","end_date":"tomorrow","venue":`+venue.id()+`}`)
	if contains(unused(), venue["id"]) {
		t.Error("has_events=false still lists the venue")
	}
	if got := c.get(api+"/venues?event="+event.id()).column("venues", "id"); !cmp.Equal(got, []any{venue["id"]}) {
		t.Errorf("event: got %v", got)
	}
	if !contains(c.get(api+"/venues?only_with_upcoming=true&per_page=50").column("venues", "id"), venue["id"]) {
		t.Error("only_with_upcoming does not list the venue")
	}
	if got := c.total(api + "/venues?include=" + venue.id()); got != all {
		t.Errorf("include is ignored: total = %d, want %d", got, all)
	}
}

func contains(items []any, want any) bool {
	for _, v := range items {
		if v == want {
			return true
		}
	}
	return false
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
	for _, query := range []string{"parent=0", "include=999999", "post=abc", "per_page=0"} {
		c.fails(400, "GET", api+"/categories?"+query, "")
	}
}
