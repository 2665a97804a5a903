package sim

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
)

const newEvent = `{"title":"x","start_date":"2027-03-01","end_date":"2027-03-01","status":"publish"}`

// TestRoles: the responses to the same requests of each user.
func TestRoles(t *testing.T) {
	ids := map[string]string{}
	admin := newClient(t).signedIn("admin")
	for _, p := range admin.site.blogs["en"].selectPosts(eventKind, func(*post) bool { return true }) {
		ids[p.title] = itoa(p.id)
	}
	draft := api + "/events/" + ids[en["draft"]]
	private := api + "/events/" + ids[en["private"]]
	locked := api + "/events/" + ids[en["locked"]]
	event := api + "/events/" + ids[en["contributed"]]
	tests := []struct {
		method, path, body string
		// anonymous, subscriber, contributor, author, editor, admin
		want [6]int
	}{
		{"GET", api + "/events", "", [6]int{200, 200, 200, 200, 200, 200}},
		{"GET", api + "/events?status=draft", "", [6]int{400, 400, 200, 200, 200, 200}},
		{"GET", draft, "", [6]int{403, 403, 403, 403, 200, 200}},
		{"GET", event, "", [6]int{403, 403, 200, 403, 200, 200}},
		{"GET", private, "", [6]int{403, 403, 403, 403, 200, 200}},
		{"GET", locked, "", [6]int{403, 403, 403, 403, 403, 403}},
		{"GET", locked + "?password=" + eventPassword, "", [6]int{200, 200, 200, 200, 200, 200}},
		{"GET", locked + "?context=edit", "", [6]int{403, 403, 403, 403, 200, 200}},
		{"POST", api + "/events", newEvent, [6]int{401, 403, 201, 201, 201, 201}},
		{"PUT", draft, `{"title":"y"}`, [6]int{401, 403, 403, 403, 200, 200}},
		{"POST", api + "/venues", `{"venue":"y"}`, [6]int{401, 403, 201, 201, 201, 201}},
		{"POST", api + "/tags", `{"name":"1 2 3"}`, [6]int{401, 403, 403, 403, 201, 400}},
		{"DELETE", event, "", [6]int{401, 403, 200, 403, 410, 410}},
	}
	for _, tt := range tests {
		var got [6]int
		for i, user := range []string{"", "subscriber", "contributor", "author", "editor", "admin"} {
			got[i] = admin.signedIn(user).do(tt.method, tt.path, tt.body, nil).Code
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.method, tt.path, diff)
		}
	}
}

func TestCredentials(t *testing.T) {
	c := newClient(t)
	editor := userByName("editor")
	for _, test := range []struct {
		name, password string
		status         int
		code, allow    string
	}{
		{"", "", 200, "", "GET"}, {"editor", editor.Password, 200, "", "GET, POST"}, {"editor", "x", 401, "incorrect_password", ""},
		{"nobody", "x", 401, "invalid_username", ""}, {"a@b.example", "x", 401, "invalid_email", ""},
	} {
		rec := c.do("GET", api+"/events?per_page=1", "", func(r *http.Request) { r.SetBasicAuth(test.name, test.password) })
		if rec.Code != test.status || mapping.CodeOf(rec.Body.Bytes()) != test.code || rec.Header().Get("Allow") != test.allow {
			t.Errorf("%s: %d, Allow %q: %s", test.name, rec.Code, rec.Header().Get("Allow"), rec.Body)
		}
		isShared := !strings.Contains(rec.Header().Get("Cache-Control"), "no-store")
		if isShared != (test.allow != "GET, POST") {
			t.Errorf("%s: Cache-Control %q", test.name, rec.Header().Get("Cache-Control"))
		}
	}
}

// TestBySlug: by slug, rights over the item are not looked at, and an empty slug names some draft.
func TestBySlug(t *testing.T) {
	c := newClient(t)
	gala := c.get(api + "/events/by-slug/" + slugOf(en["featured"]))
	contributor := c.signedIn("contributor")
	contributor.fails(403, "PATCH", api+"/events/"+gala.id(), `{"title":"Not mine"}`)
	got := contributor.send(200, "PATCH", api+"/events/by-slug/"+slugOf(en["featured"]), `{"title":"Not mine","id":1}`)
	if got["id"] != gala["id"] || got["status"] != "draft" {
		t.Errorf("by a contributor: id %v, want %v; status %v", got["id"], gala["id"], got["status"])
	}
	if got := c.fails(403, "GET", api+"/events/by-slug/...", ""); got != "event-not-accessible" {
		t.Errorf("an empty slug: %q", got)
	}
}

// TestLockedInLists: a password blanks fields there, and is not asked for.
func TestLockedInLists(t *testing.T) {
	c := newClient(t)
	id := c.get(api + "/events/by-slug/" + slugOf(en["locked"]) + "?password=" + eventPassword).id()
	first := func(query string) map[string]any {
		return c.get(api + "/events?include=" + id + query)["events"].([]any)[0].(map[string]any)
	}
	blank := first("")
	open := first("&password=" + eventPassword)
	if blank["description"] != "" || blank["featured"] != nil || blank["cost"] != "" {
		t.Errorf("not blanked: %v, %v, %v", blank["description"], blank["featured"], blank["cost"])
	}
	if open["description"] == "" || open["featured"] != false {
		t.Errorf("blanked in spite of the password: %v, %v", open["description"], open["featured"])
	}
}
