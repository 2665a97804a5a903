package sim

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// testNow is the clock of the tests: noon on a winter day.
var testNow = time.Date(2027, 2, 3, 12, 0, 0, 0, time.UTC)

// client asks a site of its own. The zero user is anonymous.
type client struct {
	t    *testing.T
	site *Site
	user string
}

func newClient(t *testing.T) *client {
	t.Helper()
	return &client{t: t, site: New(Options{Clock: func() time.Time { return testNow }, Site: "http://legacy.test"})}
}

// signedIn is the same site for another user.
func (c *client) signedIn(user string) *client { return &client{t: c.t, site: c.site, user: user} }

const api = "/wp-json/tribe/events/v1"

// do sends a request; change may be nil. A body that begins with a brace is
// sent as JSON, any other as a form.
func (c *client) do(method, path, body string, change func(*http.Request)) *httptest.ResponseRecorder {
	c.t.Helper()
	r := httptest.NewRequest(method, "http://legacy.test"+path, strings.NewReader(body))
	switch {
	case strings.HasPrefix(body, "{"):
		r.Header.Set("Content-Type", "application/json")
	case body != "":
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if u := userByName(c.user); u != nil {
		r.SetBasicAuth(u.Name, u.Password)
	}
	if change != nil {
		change(r)
	}
	rec := httptest.NewRecorder()
	c.site.ServeHTTP(rec, r)
	return rec
}

// record is a JSON object.
type record map[string]any

// send wants an answer with that status, which is 200 or 201 for all is well.
func (c *client) send(status int, method, path, body string) record {
	c.t.Helper()
	rec := c.do(method, path, body, nil)
	if rec.Code != status {
		c.t.Fatalf("%s %s: status = %d, want %d: %.300s", method, path, rec.Code, status, rec.Body)
	}
	var out record
	if err := json.Unmarshal(rec.Body.Bytes(), &out); err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return out
}

func (c *client) get(path string) record {
	c.t.Helper()
	return c.send(200, "GET", path, "")
}

// fails wants an error and returns its code.
func (c *client) fails(status int, method, path, body string) string {
	c.t.Helper()
	code, _ := c.send(status, method, path, body)["code"].(string)
	return code
}

func (r record) id() string { return itoa(int(r["id"].(float64))) }

// column is one member of all items of a list.
func (r record) column(key, member string) []any {
	out := []any{}
	for _, item := range r[key].([]any) {
		out = append(out, item.(map[string]any)[member])
	}
	return out
}

// total returns the number that a list says there is in all.
func (c *client) total(path string) int {
	c.t.Helper()
	return int(c.get(path)["total"].(float64))
}

// slugOf is the slug of a special event of the default language.
func slugOf(title string) string { return slugify(title) }

// headerOf reads a header in the spelling that WordPress has for it.
func headerOf(rec *httptest.ResponseRecorder, name string) []string { return rec.Header()[name] }

// seedOf returns the seed of a language.
func seedOf(code string) seedTexts {
	i := slices.IndexFunc(languages(), func(l *language) bool { return l.code == code })
	return languages()[i].seedTexts
}
