package sim

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIDBeatsPath(t *testing.T) {
	c := newClient(t).as("admin")
	one := c.get(api + "/events/by-slug/" + slugOf(en["sticky"]))
	two := c.get(api + "/events/by-slug/" + slugOf(en["instant"]))
	if got := c.get(api + "/events/" + one.id() + "?id=" + two.id()); got["id"] != two["id"] {
		t.Errorf("id in the query: got %v", got["id"])
	}
	if got := c.send(200, "PUT", api+"/events/"+one.id(), `{"id":`+two.id()+`,"title":"Hit"}`); got["id"] != two["id"] {
		t.Errorf("id in the body: changed %v", got["id"])
	}
	if got := c.get(api + "/events/by-slug/" + slugOf(en["sticky"]) + "?slug=" + slugOf(en["instant"])); got["id"] != two["id"] {
		t.Errorf("slug in the query: got %v", got["id"])
	}
	c.fails(404, "PUT", api+"/events/by-slug/"+slugOf(en["sticky"]), `{"slug":"no-such-slug"}`)
}

// TestBySlug shows what by-slug paths let happen: rights over the item are not looked
// at, and where nothing is left of the slug some draft is hit.
func TestBySlug(t *testing.T) {
	c := newClient(t)
	gala := c.get(api + "/events/by-slug/" + slugOf(en["featured"]))
	contributor := c.as("contributor")
	contributor.fails(403, "PATCH", api+"/events/"+gala.id(), `{"title":"Not mine"}`)
	got := contributor.send(200, "PATCH", api+"/events/by-slug/"+slugOf(en["featured"]), `{"title":"Not mine","id":1}`)
	if got["id"] != gala["id"] || got["status"] != "draft" {
		t.Errorf("by a contributor: id %v, want %v; status %v", got["id"], gala["id"], got["status"])
	}
	for _, slug := range []string{"...", "-", "~", "%20", "%2F"} {
		if got := c.fails(403, "GET", api+"/events/by-slug/"+slug, ""); got != "event-not-accessible" {
			t.Errorf("%s: %q", slug, got)
		}
	}
	draft := c.as("editor").get(api + "/events/by-slug/...")
	if draft["title"] != en["draft"] {
		t.Errorf("without a slug: %v, want the first draft", draft["title"])
	}
	got = contributor.send(200, "DELETE", api+"/events/by-slug/...", "")
	if got["id"] != draft["id"] || got["status"] != "trash" || got["slug"] != trashedSuffix {
		t.Errorf("deleted id %v, want %v; status %v, slug %v", got["id"], draft["id"], got["status"], got["slug"])
	}
}

func TestMethodOverride(t *testing.T) {
	c := newClient(t).as("admin")
	e := c.get(api + "/events/by-slug/" + slugOf(en["sticky"]))
	path := api + "/events/" + e.id()
	rec := c.do("POST", path, `{"title":"By header"}`, func(r *http.Request) { r.Header.Set("X-HTTP-Method-Override", "patch") })
	if rec.Code != 200 {
		t.Errorf("X-HTTP-Method-Override: %d", rec.Code)
	}
	if got := c.send(200, "GET", path+"?_method=DELETE", ""); got["status"] != "trash" {
		t.Errorf("_method on a GET: status = %v", got["status"])
	}
}

func TestRestRouteLeavesTheNamespace(t *testing.T) {
	c := newClient(t)
	const images = `"media_type":"image"`
	for _, rec := range []string{
		c.do("GET", api+"/events?rest_route=/wp/v2/media", "", nil).Body.String(),
		c.do("GET", "/?rest_route=/wp/v2/media", "", nil).Body.String(),
		c.do("POST", api+"/events?_method=GET", "rest_route=/wp/v2/media", nil).Body.String(),
	} {
		if !strings.Contains(rec, images) {
			t.Errorf("no images in %.200s", rec)
		}
	}
	for _, path := range []string{"/?rest_route=/tribe/events/v1/events", "/index.php" + api + "/events", api + "/EVENTS/",
		"/es/?rest_route=/tribe/events/v1/events"} {
		c.get(path)
	}
	for _, path := range []string{"/wp-json/tribe/events/v1//events", "/wp-json/tribe%2Fevents%2Fv1/events", api +
		"/events/by-slug/a%2Fb", api + "/events/-5"} {
		if rec := c.do("GET", path, "", nil); rec.Code != 404 && rec.Code != 400 {
			t.Errorf("%s: %d", path, rec.Code)
		}
	}
}

func TestAnswerForms(t *testing.T) {
	c := newClient(t)
	path := api + "/events/by-slug/" + slugOf(en["emoji"])
	body := func(query string) string { return c.do("GET", path+query, "", nil).Body.String() }
	if got := body("?_fields=slug,id"); !strings.HasPrefix(got, `{"id":`) || strings.Contains(got, "title") {
		t.Errorf("_fields: %s", got)
	}
	if got := body("?_jsonp=cb&_fields=id"); !strings.HasPrefix(got, `/**/cb({"id":`) {
		t.Errorf("_jsonp: %s", got)
	}
	if got := body("?_pretty&_fields=id"); !strings.HasPrefix(got, "{\n    \"id\": ") {
		t.Errorf("_pretty: %s", got)
	}
	if got := body("?_envelope&_fields=id"); !strings.HasPrefix(got, `{"body":{"id":`) ||
		!strings.HasSuffix(got, `"status":200,"headers":{"Allow":"GET"}}`) {
		t.Errorf("_envelope: %s", got)
	}
	if got := body(""); !strings.Contains(got, `\ud83d\udea2`) || !strings.Contains(got, `http:\/\/`) {
		t.Errorf("PHP escapes: %.300s", got)
	}
	if got := c.fails(400, "GET", path+"?_jsonp=a;b", ""); got != "rest_callback_invalid" {
		t.Errorf("bad callback: %q", got)
	}
	got := c.do("GET", api+"/events?per_page=2&_fields=events.id,total", "", nil).Body.String()
	if !strings.HasPrefix(got, `{"events":[],"total":`) {
		t.Errorf("_fields inside a list: %s", got)
	}
}

func TestBodies(t *testing.T) {
	c := newClient(t).as("admin")
	send := func(contentType, body string) int {
		return c.do("POST", api+"/venues", body, func(r *http.Request) {
			r.Header.Del("Content-Type")
			if contentType != "" {
				r.Header.Set("Content-Type", contentType)
			}
		}).Code
	}
	multipart := "--b\r\nContent-Disposition: form-data; name=\"venue\"\r\n\r\nBy parts\r\n--b--\r\n"
	got := []int{
		send("application/json", `{"venue":"By JSON"}`), send("application/x-www-form-urlencoded",
			"venue=By+form"), send("multipart/form-data; boundary=b", multipart),
		send("text/plain", `{"venue":"By text"}`), send("", `{"venue":"By nothing"}`), send("application/json",
			`{"venue":`), send("application/json", `["venue"]`),
	}
	if diff := cmp.Diff([]int{201, 201, 201, 400, 400, 400, 400}, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	c.send(201, "POST", api+"/venues?venue=By+query", "")
	list := c.do("GET", api+"/events", `{"per_page":1,"search":"harbour"}`, nil).Body.String()
	if !strings.Contains(list, `&per_page=1&`) || !strings.Contains(list, `&search=harbour&`) {
		t.Errorf("the body of a GET is not read: %.300s", list)
	}
}

func TestTextIn(t *testing.T) {
	c := newClient(t)
	const body = `{"title":"Salt & \"pepper\" \\\\ it's","description":"One\n\nTwo \\back<script>1</script>",` +
		`"start_date":"2027-03-01","end_date":"2027-03-01"}`
	e := c.as("admin").send(201, "POST", api+"/events", body)
	if diff := cmp.Diff([]any{`Salt &#038; &#8220;pepper&#8221; \ it&#8217;s`, "<p>One</p>\n<p>Two back<script>1</script></p>"},
		[]any{e["title"], e["description"]}); diff != "" {
		t.Errorf("by an admin (-want +got):\n%s", diff)
	}
	e = c.as("contributor").send(201, "POST", api+"/events", body)
	if got := e["description"]; got != "<p>One</p>\n<p>Two back1</p>" {
		t.Errorf("by a contributor: %q", got)
	}
}

func TestOptions(t *testing.T) {
	c := newClient(t)
	rec := c.do("OPTIONS", api+"/nope", "", nil)
	if rec.Code != 200 || rec.Body.String() != "[]" {
		t.Errorf("unknown route: %d %s", rec.Code, rec.Body)
	}
	if got := c.send(200, "OPTIONS", api+"/events", "")["methods"]; !cmp.Equal(got, []any{"GET", "POST"}) {
		t.Errorf("methods = %v", got)
	}
	for method, path := range map[string]string{"DELETE": "/events", "PATCH": "/venues", "POST": "/doc", "PUT": "/categories"} {
		if got := c.fails(404, method, api+path, ""); got != "rest_no_route" {
			t.Errorf("%s %s: %q", method, path, got)
		}
	}
}
