package sim

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
)

func acknowledged(r *http.Request) {
	r.Header.Set("X-TEC-EEA", " "+strings.ToUpper(tecAcknowledgement)+" ")
}

func TestTECQuirks(t *testing.T) {
	c := newClient(t)
	event := c.get(api + "/events?per_page=1")["events"].([]any)[0].(map[string]any)
	one := "/wp-json/tec/v1/events/" + record(event).id()
	for _, test := range []struct {
		user, method, path, body string
		silent                   bool
		status                   int
		want                     string // somewhere in the answer
	}{
		{path: one, silent: true, status: 400, want: "missing_experimental_endpoint_acknowledgement"},
		{path: "/wp-json/tec/v1/events", silent: true, status: 400, want: "missing_experimental_endpoint_acknowledgement"},
		{path: "/wp-json/wp/v2/tags", silent: true, status: 200},
		{path: one, status: 200, want: `"protected":false`},
		{path: "/wp-json/tec/v1/events/999999", status: 401, want: "rest_forbidden"},
		{user: "editor", path: "/wp-json/tec/v1/events/999999", status: 403, want: "rest_forbidden"},
		{path: "/wp-json/tec/v1/venues/" + record(event).id(), status: 401},
		{path: "/wp-json/tec/v1/events/by-slug/x", status: 404, want: "rest_no_route"},
		{path: "/wp-json/tec/v1/events?categories=1", status: 400, want: "rest_invalid_param"},
		{path: "/wp-json/tec/v1/events?categories[]=1", status: 200},
		{path: "/wp-json/tec/v1/events?per_page=100", status: 200},
		{path: "/wp-json/tec/v1/events?per_page=101", status: 200},
		{path: "/wp-json/tec/v1/events?page=999", status: 404, want: "tec_rest_organizers_page_not_found"},
		{user: "admin", method: "POST", path: one, body: `{"title":"x"}`, status: 404, want: "rest_no_route"},
		{method: "PUT", path: one, body: `{"title":"x"}`, status: 401},
		{user: "admin", method: "PUT", path: one, body: `{"start_date":"tomorrow"}`, status: 400,
			want: "tec_rest_invalid_date_time_argument"},
		{user: "admin", method: "PUT", path: one, body: `{"status":"draft","sticky":true}`, status: 200, want: `"status":"draft"`},
		{user: "admin", method: "PATCH", path: one, body: `{"title":"y"}`, status: 200, want: `"status":"publish"`},
		{user: "admin", path: one, status: 200, want: `"sticky":false`},
		{user: "admin", method: "DELETE", path: one, status: 200, want: "[]"},
		{user: "admin", method: "DELETE", path: one, status: 410, want: `"error"`},
		{user: "admin", method: "DELETE", path: "/wp-json/wp/v2/tags/25", status: 501, want: "rest_trash_not_supported"},
		{user: "admin", method: "DELETE", path: "/wp-json/wp/v2/tags/25?force=true", status: 200, want: `"deleted":true`},
	} {
		change := acknowledged
		if test.silent {
			change = nil
		}
		if test.method == "" {
			test.method = "GET"
		}
		got := c.as(test.user).do(test.method, test.path, test.body, change)
		if got.Code != test.status || !strings.Contains(got.Body.String(), test.want) {
			t.Errorf("%s %s: %d, want %d and %s: %.300s", test.method, test.path, got.Code, test.status, test.want, got.Body)
		}
	}
}

// TestTECWrites: what no recording shows, and a comparison with the real site found.
func TestTECWrites(t *testing.T) {
	const events, dates = "/wp-json/tec/v1/events", `"start_date":"2027-03-01 18:00:00","end_date":"2027-03-01 20:00:00"`
	c := newClient(t).as("admin")
	made := record{}
	rec := c.do("POST", events, `{"title":"T","all_day":null,`+dates+`}`, acknowledged)
	if err := json.Unmarshal(rec.Body.Bytes(), &made); err != nil || rec.Code != 201 {
		t.Fatal(rec.Code, rec.Body)
	}
	one := events + "/" + made.id()
	for _, test := range []struct {
		user, method, path, body string
		status                   int
		want                     string // somewhere in the answer
	}{
		{method: "POST", path: events, body: `{"title":null,` + dates + `}`, status: 500, want: "Failed to create entity."},
		{method: "POST", path: events, body: `{"title":"x","status":"",` + dates + `}`, status: 400},
		{method: "POST", path: events, body: `{"title":"x","format":"x",` + dates + `}`, status: 400},
		{method: "POST", path: events, body: `{"title":"x","date":"",` + dates + `}`, status: 400},
		{method: "POST", path: events, body: `{"title":"x","author":true,` + dates + `}`, status: 400},
		{user: "none", method: "POST", path: events, body: `{"title":42,` + dates + `}`, status: 400},
		{user: "contributor", method: "POST", path: events, body: `{}`, status: 500},
		{method: "PUT", path: one, body: `{"start_date":null}`, status: 200, want: `"start_date":"2027-02-03 12:00:00"`},
		{method: "PUT", path: one, body: `{"duration":"3600"}`, status: 200, want: `"end_date":"2027-03-01 20:00:00"`},
		{method: "PUT", path: one, body: `{}`, status: 200, want: `"duration":"3600"`},
		{method: "PUT", path: one, body: `{"all_day":true}`, status: 200, want: `"end_date":"2027-03-01 23:59:59"`},
		{method: "PUT", path: one, body: `{"timezone":"UTC+2"}`, status: 200, want: `"timezone":"Europe\/Helsinki"`},
		{method: "PUT", path: one, body: `{"date":"2026-01-01T10:00:00"}`, status: 200, want: `"date":"2026-01-01T10:00:00"`},
		{method: "PUT", path: one, body: `{"date":null}`, status: 200, want: `"date":"2027-02-03T12:00:00"`},
		{method: "PUT", path: one, body: `{"title":null}`, status: 200, want: `"rendered":"T"`},
		{method: "PUT", path: events + "/0", body: `{}`, status: 404, want: "The entity could not be updated."},
		{method: "PUT", path: events + "/1", body: `{}`, status: 404, want: "The entity could not be updated."},
		{method: "DELETE", path: events + "/1", status: 404, want: "The entity could not be deleted."},
		{method: "DELETE", path: one + "?force=true", status: 200, want: "[]"},
		{method: "DELETE", path: one, status: 403},
		{path: one, status: 403},
	} {
		user := cmp.Or(test.user, "admin")
		got := c.as(user).do(cmp.Or(test.method, "GET"), test.path, test.body, acknowledged)
		if got.Code != test.status || !strings.Contains(got.Body.String(), test.want) {
			t.Errorf("%s %s %s: %d, want %d and %s: %.900s", test.method, test.path, test.body, got.Code, test.status, test.want, got.Body)
		}
	}
}

// TestTECReads: parameters that no recording shows, and a comparison with the real site did.
func TestTECReads(t *testing.T) {
	c := newClient(t)
	for path, status := range map[string]int{
		"tec/v1/events?start_date=1": 200, "tec/v1/events?start_date=0000-00-00": 200, "tec/v1/events?start_date=2027": 200,
		"tec/v1/events?start_date=1970-01-01": 400, "tec/v1/events?end_date=foo": 400, "tec/v1/events?ends_after[]=2027-01-01": 400,
		"tec/v1/events?start_date=last friday of next month 23:59:59": 200, "tec/v1/events?start_date=2027-01 00:00:00": 200,
		"tec/v1/events?start_date=1798761600 00:00:00": 400, "tec/v1/events?start_date=2027-01-01T10:00:00+02:00 00:00:00": 400,
		"tec/v1/events?order=x": 400, "tec/v1/events?orderby=": 400, "tec/v1/events?categories[x]=1": 200, "tec/v1/events?tags[]=-1": 400,
		"tec/v1/events?page=1 ": 200, "tec/v1/events?page[]=1": 400, "tec/v1/events?per_page=": 400,
		"tec/v1/events?status=,": 400, "tec/v1/events?status=publish,bogus": 400, "tec/v1/events?status=Publish": 400,
		"tec/v1/events?status=inherit": 400,
		"tec/v1/venues?event=abc":      400, "tec/v1/venues?event=": 400, "tec/v1/venues?has_events=": 200, "tec/v1/organizers/0": 404,
		"wp/v2/tags?per_page=0": 400, "wp/v2/media?orderby=count": 400, "wp/v2/media?slug=x": 200,
	} {
		path = "/wp-json/" + strings.NewReplacer(" ", "%20", "+", "%2B").Replace(path)
		if got := c.do("GET", path, "", acknowledged); got.Code != status {
			t.Errorf("%s: %d, want %d: %.300s", path, got.Code, status, got.Body)
		}
	}
	if got := c.as("admin").do("POST", "/wp-json/wp/v2/tags", `{"name":"x","parent":999999}`,
		nil); !strings.Contains(got.Body.String(), "rest_taxonomy_not_hierarchical") {
		t.Errorf("a tag with a parent: %s", got.Body)
	}
	hidden := c.do("GET", "/wp-json/tec/v1/events?search="+url.QueryEscape(seedOf("en").Special["hidden"]), "", acknowledged)
	if total := headerOf(hidden, "X-WP-Total")[0]; total != "1" {
		t.Errorf("%s events that are hidden from listings", total)
	}
}

// TestTECBooleans: a value that is not empty and not 0 is true there, "false" among it.
func TestTECBooleans(t *testing.T) {
	c := newClient(t)
	total := func(query string) string {
		return headerOf(c.do("GET", "/wp-json/tec/v1/events"+query, "", acknowledged), "X-WP-Total")[0]
	}
	if total("?featured=false") != total("?featured=1") || total("?featured=0") == total("?featured=1") {
		t.Errorf("featured=false %s, 1 %s, 0 %s", total("?featured=false"), total("?featured=1"), total("?featured=0"))
	}
}

// TestNeutral: the neutral stand-in differs from the legacy by its names.
func TestNeutral(t *testing.T) {
	site := newClient(t).site
	get := func(path string) (*httptest.ResponseRecorder, record) {
		rec := httptest.NewRecorder()
		out := record{}
		site.Neutral().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "http://new.test"+path, nil))
		if err := json.Unmarshal(rec.Body.Bytes(), &out); err != nil {
			t.Fatal(path, err)
		}
		return rec, out
	}
	rec, list := get("/wp-json/calendar/events/v1/categories?i18n_language=es")
	if headerOf(rec, "X-Calendar-Total") == nil || headerOf(rec, "X-TEC-Total") != nil ||
		list.column("categories", "taxonomy")[0] != "calendar_events_cat" {
		t.Errorf("%d %v %v", rec.Code, rec.Header(), list)
	}
	if rec, e := get("/wp-json/calendar/events/v1/events?i18n_language=xx"); rec.Code != 400 ||
		!strings.Contains(e["message"].(string), "i18n_language") {
		t.Errorf("%d %v", rec.Code, e)
	}
	for _, path := range []string{"/wp-json/calendar/events/v1/doc", "/wp-json/calendar/events/v1",
		"/wp-json/calendar/events/v10/events", api + "/events"} {
		if rec, _ := get(path); rec.Code != 404 {
			t.Errorf("%s: %d", path, rec.Code)
		}
	}
	_, root := get("/wp-json/")
	if diff := gocmp.Diff([]any{"oembed/1.0", mapping.Namespace, tecNamespace, "wp/v2"}, root["namespaces"]); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
}
