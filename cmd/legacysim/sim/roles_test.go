package sim

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const newEvent = `{"title":"x","start_date":"2027-03-01","end_date":"2027-03-01","status":"publish"}`

// TestRoles says for everybody what comes of the same requests.
func TestRoles(t *testing.T) {
	ids := map[string]string{}
	admin := newClient(t).as("admin")
	for _, p := range admin.site.blogs["en"].selectPosts(eventKind, func(*post) bool { return true }) {
		ids[p.title] = itoa(p.id)
	}
	draft := api + "/events/" + ids[en["draft"]]
	private := api + "/events/" + ids[en["private"]]
	locked := api + "/events/" + ids[en["locked"]]
	own := api + "/events/" + ids[en["contributed"]]
	tests := []struct {
		method, path, body string
		// anonymous, subscriber, contributor, author, editor, admin
		want [6]int
	}{
		{"GET", api + "/events", "", [6]int{200, 200, 200, 200, 200, 200}},
		{"GET", api + "/events?status=draft", "", [6]int{400, 400, 200, 200, 200, 200}},
		{"GET", draft, "", [6]int{403, 403, 403, 403, 200, 200}},
		{"GET", own, "", [6]int{403, 403, 200, 403, 200, 200}},
		{"GET", private, "", [6]int{403, 403, 403, 403, 200, 200}},
		{"GET", locked, "", [6]int{403, 403, 403, 403, 403, 403}},
		{"GET", locked + "?password=" + eventPassword, "", [6]int{200, 200, 200, 200, 200, 200}},
		{"GET", locked + "?context=edit", "", [6]int{403, 403, 403, 403, 200, 200}},
		{"POST", api + "/events", newEvent, [6]int{401, 403, 201, 201, 201, 201}},
		{"POST", api + "/events", "{}", [6]int{400, 400, 400, 400, 400, 400}},
		{"PUT", draft, `{"title":"y"}`, [6]int{401, 403, 403, 403, 200, 200}},
		{"POST", api + "/venues", `{"venue":"y"}`, [6]int{401, 403, 201, 201, 201, 201}},
		{"POST", api + "/tags", `{"name":"1 2 3"}`, [6]int{401, 403, 403, 403, 201, 400}},
		{"DELETE", own, "", [6]int{401, 403, 200, 403, 410, 410}},
	}
	for _, tt := range tests {
		var got [6]int
		for i, user := range []string{"", "subscriber", "contributor", "author", "editor", "admin"} {
			got[i] = admin.as(user).do(tt.method, tt.path, tt.body, nil).Code
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.method, tt.path, diff)
		}
	}
}

func TestContributorWaits(t *testing.T) {
	e := newClient(t).as("contributor").send(201, "POST", api+"/events", newEvent)
	if e["status"] != "pending" || e["slug"] != "" || e["date_utc"] != "0000-00-00 00:00:00" {
		t.Errorf("status %v, slug %q, date_utc %v", e["status"], e["slug"], e["date_utc"])
	}
}

func TestCredentials(t *testing.T) {
	c := newClient(t)
	basic := func(name, password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(name, password) }
	}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	cookie := func(nonce string) func(*http.Request) {
		return func(r *http.Request) {
			r.AddCookie(&http.Cookie{Name: loginCookie, Value: "editor"})
			if nonce != "" {
				r.Header.Set("X-WP-Nonce", nonce)
			}
		}
	}
	editor := userByName("editor")
	tests := []struct {
		name   string
		change func(*http.Request)
		status int
		allow  string
	}{
		{"nothing", nil, 200, "GET"},
		{"basic", basic("editor", editor.Password), 200, "GET, POST"},
		{"wrong password", basic("editor", "x"), 401, ""},
		{"unknown user", basic("nobody", "x"), 401, ""},
		{"bearer", header("Authorization", "Bearer x"), 200, "GET"},
		{"malformed", header("Authorization", "Basic ?"), 200, "GET"},
		{"cookie alone", cookie(""), 200, "GET"},
		{"cookie and nonce", cookie(editor.Nonce()), 200, "GET, POST"},
		{"cookie and wrong nonce", cookie("0123456789"), 403, ""},
		{"nonce alone", header("X-WP-Nonce", editor.Nonce()), 403, ""},
	}
	for _, tt := range tests {
		rec := c.do("GET", api+"/events?per_page=1", "", tt.change)
		if rec.Code != tt.status || rec.Header().Get("Allow") != tt.allow {
			t.Errorf("%s: %d, Allow %q", tt.name, rec.Code, rec.Header().Get("Allow"))
		}
	}
	rec := c.do("GET", api+"/events?per_page=1", "", cookie(editor.Nonce()))
	got := []string{headerOf(rec, "X-WP-Nonce")[0], rec.Header().Get("Cache-Control"), rec.Header().Get("Vary")}
	if diff := cmp.Diff([]string{editor.Nonce(), noCache, ""}, got); diff != "" {
		t.Errorf("headers by cookie (-want +got):\n%s", diff)
	}
}

// TestLockedInLists: a password blanks fields there, and is not asked for.
func TestLockedInLists(t *testing.T) {
	c := newClient(t)
	id := c.get(api + "/events/by-slug/" + slugOf(en["locked"]) + "?password=" + eventPassword).id()
	one := func(query string) map[string]any {
		return c.get(api + "/events?include=" + id + query)["events"].([]any)[0].(map[string]any)
	}
	blank := one("")
	open := one("&password=" + eventPassword)
	if blank["description"] != "" || blank["featured"] != nil || blank["cost"] != "" {
		t.Errorf("not blanked: %v, %v, %v", blank["description"], blank["featured"], blank["cost"])
	}
	if open["description"] == "" || open["featured"] != false {
		t.Errorf("blanked in spite of the password: %v, %v", open["description"], open["featured"])
	}
}
