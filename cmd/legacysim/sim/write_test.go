package sim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTrash(t *testing.T) {
	tests := []struct {
		key, noun, body, change string
		deleted                 string
	}{
		{"events", "event", `{"title":"Leaky boat","start_date":"2027-03-01","end_date":"2027-03-01"}`, `{"title":"Sound boat"}`,
			"event-no-longer-available"},
		{"venues", "venue", `{"venue":"Leaky boat"}`, `{"venue":"Sound boat"}`, "venue-not-accessible"},
		{"organizers", "organizer", `{"organizer":"Leaky boat"}`, `{"organizer":"Sound boat"}`, "organizer-not-accessible"},
	}
	for _, tt := range tests {
		t.Run(tt.key, func(t *testing.T) {
			c := newClient(t).signedIn("editor")
			path := api + "/" + tt.key
			path += "/" + c.send(201, "POST", path, tt.body).id()
			trashed := c.send(200, "DELETE", path+"?force=true", "")
			if trashed["status"] != "trash" || trashed["slug"] != "leaky-boat__trashed" {
				t.Errorf("deleted: status %v, slug %v", trashed["status"], trashed["slug"])
			}
			if got := c.fails(410, "DELETE", path, ""); got != tt.noun+"-is-in-trash" {
				t.Errorf("again: code = %q", got)
			}
			if got := c.signedIn("").fails(403, "GET", path, ""); got != tt.deleted {
				t.Errorf("read: code = %q", got)
			}
			c.fails(400, "GET", api+"/"+tt.key+"/by-slug/leaky-boat", "")
			back := c.send(200, "PUT", path, tt.change)
			if back["status"] != "publish" || back["slug"] != "leaky-boat" {
				t.Errorf("updated: status %v, slug %v", back["status"], back["slug"])
			}
		})
	}
}

// TestUpdateLoses pins the harm that an update does to fields that it does not name. One that
// names nothing does the same.
func TestUpdateLoses(t *testing.T) {
	for _, body := range []string{`{}`, `{"title":"Full","venue":[]}`} {
		c := newClient(t).signedIn("admin")
		path := api + "/events/" + c.send(201, "POST", api+"/events",
			`{"title":"Full","start_date":"2027-03-01 18:00","end_date":"2027-03-01 20:00",
			"timezone":"America/New_York","status":"draft","image":"1","cost":"12","website":"https://a.example",
			"featured":true,"sticky":true,"show_map":true,"venue":12,"organizer":[38],"excerpt":"kept","categories":[1]}`).id()
		updated := c.send(200, "PUT", path, body)
		got := map[string]any{}
		want := map[string]any{
			"status": "publish", "title": "Full", "cost": "", "website": "", "featured": false, "sticky": false, "show_map": false,
			"image":     false,
			"organizer": []any{}, "excerpt": "<p>kept</p>", "timezone": "Europe/London", "start_date": "2027-03-01 18:00:00",
			"utc_start_date": "2027-03-01 23:00:00",
		}
		for key := range want {
			got[key] = updated[key]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", body, diff)
		}
		if _, ok := updated["venue"].(map[string]any); !ok {
			t.Errorf("after %s: venue = %v, want it kept", body, updated["venue"])
		}
	}
}

func TestEventDates(t *testing.T) {
	c := newClient(t).signedIn("admin")
	tests := []struct{ name, dates, start, end, utc, zone string }{
		{"site zone", `"start_date":"2027-07-01 18:00","end_date":"2027-07-01 20:00"`, "2027-07-01 18:00:00", "2027-07-01 20:00:00",
			"2027-07-01 17:00:00", "Europe/London"},
		{"offset", `"start_date":"2027-07-01 18:00","end_date":"2027-07-01 20:00","timezone":"UTC+5:30"`, "2027-07-01 18:00:00",
			"2027-07-01 20:00:00", "2027-07-01 12:30:00", "UTC+5:30"},
		{"all day", `"start_date":"2027-07-01 18:00","end_date":"2027-07-02","all_day":true`, "2027-07-01 00:00:00",
			"2027-07-02 23:59:59", "2027-06-30 23:00:00", "Europe/London"},
		{"backwards", `"start_date":"2027-01-05","end_date":"2027-01-01"`, "2027-01-05 00:00:00", "2027-01-05 00:00:00",
			"2027-01-05 00:00:00", "Europe/London"},
		{"words", `"start_date":"tomorrow 18:30","end_date":"+2 days"`, "2027-02-04 18:30:00", "2027-02-05 12:00:00",
			"2027-02-04 18:30:00", "Europe/London"},
	}
	for _, tt := range tests {
		e := c.send(201, "POST", api+"/events", `{"title":"Dates",`+tt.dates+`}`)
		got := []any{e["start_date"], e["end_date"], e["utc_start_date"], e["timezone"]}
		if diff := cmp.Diff([]any{tt.start, tt.end, tt.utc, tt.zone}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		again := c.send(200, "PATCH", api+"/events/"+e.id(), `{"start_date":"2029-01-01"}`)
		if again["start_date"] != tt.start {
			t.Errorf("%s: start_date alone changed it to %v", tt.name, again["start_date"])
		}
	}
}

// TestWritesRefused: writes that only the site can know to be wrong.
func TestWritesRefused(t *testing.T) {
	c := newClient(t).signedIn("admin")
	const event = `"title":"x","start_date":"2027-03-01","end_date":"2027-03-01"`
	for _, test := range []struct {
		status                   int
		method, path, body, code string
	}{
		{400, "POST", "/events", `{"image":"999999",` + event + `}`, "rest_invalid_param"},
		{400, "POST", "/events", `{"venue":999999,` + event + `}`, "rest_invalid_param"},
		{400, "POST", "/events", `{"organizer":[{"id":1}],` + event + `}`, "rest_invalid_param"},
		{400, "POST", "/events", `{"author":9,` + event + `}`, "rest_invalid_param"},
		{400, "POST", "/events", `{"timezone":"Mars/Olympus",` + event + `}`, "rest_invalid_param"},
		{400, "POST", "/events", `{"status":"bogus",` + event + `}`, "rest_invalid_param"},
		{400, "POST", "/events", `{`, "rest_invalid_json"},
		{500, "POST", "/events", `{"title":"","start_date":"2027-03-01","end_date":"2027-03-01"}`, "empty_content"},
		{400, "POST", "/venues", `{"venue":""}`, "could-not-create-venue"},
		{400, "POST", "/tags", `{"name":"x","parent":1}`, "rest_taxonomy_not_hierarchical"},
		{400, "POST", "/tags", `{"name":"Free Entry"}`, "term_exists"},
		{500, "POST", "/tags", `{"name":"<b></b>"}`, "empty_term_name"},
		{500, "PUT", "/tags/25", `{"slug":"step-free"}`, "duplicate_term_slug"},
		{404, "PUT", "/events/999999", `{}`, "rest-event-not-found"},
		{400, "PUT", "/events/1", `{}`, "rest-invalid-event-id"},
		{404, "DELETE", "/events", ``, "rest_no_route"},
	} {
		if got := c.fails(test.status, test.method, api+test.path, test.body); got != test.code {
			t.Errorf("%s %s %s: code %q, want %q", test.method, test.path, test.body, got, test.code)
		}
	}
}

func TestInlinePlaces(t *testing.T) {
	c := newClient(t).signedIn("admin")
	e := c.send(201, "POST", api+"/events", `{"title":"x","start_date":"2027-03-01","end_date":"2027-03-01",
		"venue":{"venue":"New quay","city":"Bath"},"organizer":[{"organizer":"New crew","email":"a@b.example"},{"id":38}]}`)
	venue := e["venue"].(map[string]any)
	if venue["venue"] != "New quay" || venue["city"] != "Bath" {
		t.Errorf("venue = %v", venue)
	}
	if got := len(e["organizer"].([]any)); got != 2 {
		t.Errorf("%d organizers, want 2", got)
	}
	again := c.send(201, "POST", api+"/venues", `{"venue":"New quay","city":"Bristol"}`)
	if again["id"] != venue["id"] || again["city"] != "Bristol" {
		t.Errorf("the same name again: id %v, want %v; city %v", again["id"], venue["id"], again["city"])
	}
}

func TestTerms(t *testing.T) {
	c := newClient(t).signedIn("admin")
	parent := c.send(201, "POST", api+"/categories", `{"name":"Buoys & bells"}`)
	if parent["name"] != "Buoys &amp; bells" || parent["slug"] != "buoys-bells" {
		t.Errorf("name %v, slug %v", parent["name"], parent["slug"])
	}
	child := c.send(201, "POST", api+"/categories", `{"name":"Bells","parent":`+parent.id()+`}`)
	if got := c.fails(400, "POST", api+"/categories", `{"name":"Bells","parent":`+parent.id()+`}`); got != "term_exists" {
		t.Errorf("the same again: code = %q", got)
	}
	e := c.send(201, "POST", api+"/events", `{"title":"x","start_date":"2027-03-01","end_date":"2027-03-01","categories":[`+child.id()+
		`,"Brand new"]}`)
	count := func(id string) any { return c.get(api + "/categories/" + id)["count"] }
	if count(child.id()) != 1.0 || count(parent.id()) != 0.0 {
		t.Errorf("counts %v and %v, want 1 and 0", count(child.id()), count(parent.id()))
	}
	if got := c.total(api + "/categories?include=" + parent.id()); got != 1 {
		t.Errorf("a parent of a used category is hidden as empty")
	}
	c.send(200, "DELETE", api+"/events/"+e.id(), "")
	if count(child.id()) != 0.0 {
		t.Errorf("count of the trashed = %v", count(child.id()))
	}
	if got := c.total(api + "/categories?include=" + child.id()); got != 0 {
		t.Error("an empty category is listed")
	}
	if got := c.total(api + "/categories?hide_empty=false&include=" + child.id()); got != 1 {
		t.Error("hide_empty=false does not list it")
	}
	c.send(200, "DELETE", api+"/categories/"+parent.id(), "")
	c.fails(400, "DELETE", api+"/categories/"+parent.id(), "")
	if got := c.get(api + "/categories/" + child.id())["parent"]; got != 0.0 {
		t.Errorf("parent of the orphan = %v", got)
	}
}
