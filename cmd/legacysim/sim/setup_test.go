package sim

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// TestSetups: the effect of each setup.
func TestSetups(t *testing.T) {
	moved := Setup{RESTPrefix: "api", Directory: "blog", WordPress: "core"}
	gate := Setup{Basic: "staging:gate", Host: "legacy.test"}
	admin := httptest.NewRequest("GET", "/", nil)
	admin.SetBasicAuth(Users[0].Name, Users[0].Password)
	inner := "X-Authorization: " + admin.Header.Get("Authorization")
	admin.SetBasicAuth("staging", "gate")
	outer := "Authorization: " + admin.Header.Get("Authorization")
	const events = "/tribe/events/v1/events?per_page=1"
	for _, test := range []struct {
		setup  Setup
		path   string
		fields []string
		status int
		want   string // in the header fields or the body
	}{
		{gate, "/wp-json" + events, nil, 401, `Basic realm="staging"`},
		{gate, "/wp-json" + events, []string{"Authorization: " + strings.TrimPrefix(inner, "X-Authorization: ")}, 401, ""},
		{gate, "/wp-json" + events, []string{outer}, 200, "Allow: GET\n"},
		{gate, "/wp-json" + events, []string{outer, inner}, 200, "Allow: GET, POST\n"},
		{Setup{Host: "other.test"}, "/wp-json" + events, nil, 404, ""},
		{moved, "/blog/api" + events, nil, 200, `legacy.test\/blog\/api\/tribe`},
		{moved, "/blog/api" + events, nil, 200, `"global_id":"legacy.test\/blog?id=`},
		{moved, "/blog/es/api/", nil, 200, `"url":"http:\/\/legacy.test\/core","home":"http:\/\/legacy.test\/blog\/es"`},
		{moved, "/blog/index.php/api/", nil, 200, ""}, {moved, "/blog/?rest_route=/", nil, 200, ""}, {moved, "/blog/", nil, 200, "<title>"},
		{moved, "/blog/wp-json/", nil, 404, ""}, {moved, "/api/", nil, 404, ""}, {moved, "/blogs/api/", nil, 404, ""}, {moved, "/", nil, 404, ""},
		{Setup{Plain: true}, "/index.php?rest_route=/tribe/events/v1/events&per_page=1", nil, 200, `"url":"http:\/\/legacy.test\/?tribe_events=`},
		{Setup{Plain: true}, "/fr/?rest_route=/", nil, 200, `\/fr"`}, {Setup{Plain: true}, "/wp-json/", nil, 200, "<title>"},
		{Setup{Cookie: "visits"}, "/wp-json" + events, nil, 200, "Set-Cookie: visits="},
		{Setup{NoStore: true}, "/wp-json" + events, nil, 200, "Cache-Control: no-store"},
		{Setup{Surplus: "bom"}, "/wp-json" + events, nil, 200, "\n\ufeff{"},
		{Setup{}, "/wp-json" + events, nil, 200, "X-TEC-Total: "},
	} {
		r := httptest.NewRequest("GET", "http://legacy.test"+test.path, nil)
		for _, field := range test.fields {
			name, value, _ := strings.Cut(field, ": ")
			r.Header.Set(name, value)
		}
		rec := httptest.NewRecorder()
		New(Options{Setup: test.setup}).ServeHTTP(rec, r)
		var response strings.Builder
		for name, values := range rec.Header() {
			response.WriteString(name + ": " + strings.Join(values, ", ") + "\n")
		}
		response.WriteString("\n" + rec.Body.String())
		if rec.Code != test.status || !strings.Contains(response.String(), test.want) {
			t.Errorf("%+v %s %s: %d %.900s", test.setup, test.path, test.fields, rec.Code, response.String())
		}
	}
	rec := httptest.NewRecorder()
	New(Options{Setup: Setup{NoTotals: true}}).ServeHTTP(rec, httptest.NewRequest("GET", "/wp-json"+events, nil))
	if headerOf(rec, "X-TEC-Total") != nil {
		t.Error("a list is counted in the header")
	}
}
