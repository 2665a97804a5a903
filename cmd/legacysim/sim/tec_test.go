package sim

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		{user: "admin", method: "PUT", path: one, body: `{"start_date":"tomorrow"}`, status: 400, want: "tec_rest_invalid_date_time_argument"},
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

// TestTECBooleans: what is not empty and not 0 is true there, "false" among it.
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
		rec, out := httptest.NewRecorder(), record{}
		site.Neutral().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "http://new.test"+path, nil))
		if err := json.Unmarshal(rec.Body.Bytes(), &out); err != nil {
			t.Fatal(path, err)
		}
		return rec, out
	}
	rec, list := get("/wp-json/calendar/events/v1/categories?i18n_language=es")
	if headerOf(rec, "X-Calendar-Total") == nil || headerOf(rec, "X-TEC-Total") != nil || list.column("categories", "taxonomy")[0] != "calendar_events_cat" {
		t.Errorf("%d %v %v", rec.Code, rec.Header(), list)
	}
	if rec, e := get("/wp-json/calendar/events/v1/events?i18n_language=xx"); rec.Code != 400 || !strings.Contains(e["message"].(string), "i18n_language") {
		t.Errorf("%d %v", rec.Code, e)
	}
	for _, path := range []string{"/wp-json/calendar/events/v1/doc", "/wp-json/calendar/events/v1", "/wp-json/calendar/events/v10/events", api + "/events"} {
		if rec, _ := get(path); rec.Code != 404 {
			t.Errorf("%s: %d", path, rec.Code)
		}
	}
	_, root := get("/wp-json/")
	if diff := cmp.Diff([]any{"oembed/1.0", neutralNamespace, tecNamespace, "wp/v2"}, root["namespaces"]); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
}
