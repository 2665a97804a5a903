package sim

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// recordedSetups are recordings of sites that are set up otherwise, and the setup that
// gives the like of them.
var recordedSetups = []struct {
	setup Setup
	files []string // below the second part
}{
	{Setup{Cookie: "visits"}, []string{"broken/en/cookie-list", "broken/en/cookie-list-as-admin", "broken/en/cookie-list-head",
		"broken/en/cookie-root", "broken/en/cookie-single", "broken/en/cookie-unknown"}},
	{Setup{Surplus: "blank-lines"}, []string{"broken/en/blank-lines-list"}},
	{Setup{Surplus: "bom"}, []string{"broken/en/bom-list", "broken/en/bom-list-head", "broken/en/bom-root", "broken/en/bom-single",
		"broken/en/bom-unknown"}},
	{Setup{Surplus: "notice"}, []string{"broken/en/notice-list", "broken/en/notice-list-head", "broken/en/notice-root",
		"broken/en/notice-single", "broken/en/notice-unknown"}},
}

// TestRecordedSetups compares status, headers and what stands before the JSON.
func TestRecordedSetups(t *testing.T) {
	recorded := map[string]exchange{}
	for _, x := range readExchanges(t, 2, "broken") {
		recorded[x.file] = x
	}
	for _, test := range recordedSetups {
		for _, file := range test.files {
			t.Run(file, func(t *testing.T) {
				x := recorded[file]
				at := recordedAt(t, x)
				site := New(Options{Clock: func() time.Time { return at }, Site: recordedHost, Setup: test.setup})
				tr := newTranslation(site)
				rec := httptest.NewRecorder()
				site.ServeHTTP(rec, tr.request(t, x))
				if rec.Code != x.Response.Status {
					t.Fatalf("status = %d, want %d; body %.300s", rec.Code, x.Response.Status, rec.Body)
				}
				if diff := cmp.Diff(wantHeaders(tr, x), gotHeaders(rec)); diff != "" {
					t.Errorf("headers (-want +got):\n%s", diff)
				}
				if got, want := beforeJSON(rec.Body.String()), beforeJSON(x.raw()); got != want {
					t.Errorf("body begins %q, want %q", got, want)
				}
			})
		}
	}
}

// details are the details of a notice: which one it is, and where.
var details = regexp.MustCompile(`(:  ).*( in <b>).*(</b> on line <b>)\d+`)

func beforeJSON(body string) string {
	before, _, _ := strings.Cut(body, "{")
	return details.ReplaceAllString(before, "$1…$2…$3…")
}

// raw is the recorded body as it was sent, as far as it is not the JSON that it holds.
func (x *exchange) raw() string {
	if text, ok := x.Response.Body.(string); ok {
		return text
	}
	return x.Response.BodyRaw
}

// TestGate: without the web server's credentials there is no way in, and with them
// WordPress sees the ones of the other header field.
func TestGate(t *testing.T) {
	site := New(Options{Setup: Setup{Basic: "staging:gate", Host: "legacy.test"}})
	admin := httptest.NewRequest("GET", "/", nil)
	admin.SetBasicAuth(Users[0].Name, Users[0].Password)
	for _, test := range []struct {
		host, user, password, inner string
		status                      int
		allow                       string
	}{
		{"legacy.test", "", "", "", 401, ""},
		{"legacy.test", "staging", "wrong", "", 401, ""},
		{"legacy.test", Users[0].Name, Users[0].Password, "", 401, ""},
		{"legacy.test", "staging", "gate", "", 200, "GET"},
		{"legacy.test", "staging", "gate", admin.Header.Get("Authorization"), 200, "GET, POST"},
		{"other.test", "staging", "gate", "", 404, ""},
	} {
		r := httptest.NewRequest("GET", "http://"+test.host+api+"/events", nil)
		r.SetBasicAuth(test.user, test.password)
		r.Header.Set("X-Authorization", test.inner)
		rec := httptest.NewRecorder()
		site.ServeHTTP(rec, r)
		got := rec.Result().Header.Get("Allow")
		if rec.Code != test.status || got != test.allow {
			t.Errorf("%+v: got %d, Allow %q", test, rec.Code, got)
		}
	}
}

// TestDirectories: the site and WordPress are each in a directory, and nothing is beside.
func TestDirectories(t *testing.T) {
	site := New(Options{Site: recordedHost, Setup: Setup{RESTPrefix: "api", Directory: "blog", WordPress: "core"}})
	for path, status := range map[string]int{
		"/blog/api/tribe/events/v1/events": 200, "/blog/es/api/": 200, "/blog/index.php/api/": 200, "/blog/?rest_route=/": 200,
		"/blog/wp-json/": 404, "/api/": 404, "/blogs/api/": 404, "/": 404, "/blog/": 200,
	} {
		rec := httptest.NewRecorder()
		site.ServeHTTP(rec, httptest.NewRequest("GET", path, nil))
		if rec.Code != status {
			t.Errorf("%s: %d, want %d", path, rec.Code, status)
		}
	}
	rec := httptest.NewRecorder()
	site.ServeHTTP(rec, httptest.NewRequest("GET", "/blog/es/api/", nil))
	var index struct{ URL, Home string }
	if err := json.Unmarshal(rec.Body.Bytes(), &index); err != nil {
		t.Fatal(err)
	}
	if index.URL != recordedHost+"/core" || index.Home != recordedHost+"/blog/es" {
		t.Errorf("%+v", index)
	}
	rec = httptest.NewRecorder()
	site.ServeHTTP(rec, httptest.NewRequest("GET", "/blog/api/tribe/events/v1/events/by-slug/harbour-lights-gala", nil))
	for _, want := range []string{`legacy.example\/core\/wp-content\/uploads`, `"global_id":"legacy.example\/blog?id=`,
		`legacy.example\/blog\/event\/harbour`, `legacy.example\/blog\/api\/tribe`} {
		if !strings.Contains(rec.Body.String(), want) {
			t.Errorf("no %s in %s", want, rec.Body)
		}
	}
}
