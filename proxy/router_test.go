package proxy

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// TestMatchSpellings: the spellings of a path that are the same (RFC 3986, 6.2.2.2), or that
// WordPress reads as the same.
func TestMatchSpellings(t *testing.T) {
	site := i18n.Languages{{Code: "en", Root: "/wp-json"}, {Code: "es", Root: "/es/wp-json"}}
	r := newRouter(site, true, "tribe/events/v1")
	for _, test := range []struct{ path, want string }{
		{"//wp-json/calendar/events/v1/events", "/events en"},
		{"///es/wp-json/calendar/events/v1/events/5", "/events/{id} 5 es"},
		{"/wp-json/calendar/events/v1/events//", "/events en"},
		{"/wp-json/calendar/events/v1/events/5///", "/events/{id} 5 en"},
		{"//es/wp-json/tribe/events/v1/tags", "/tags es legacy"},
		{"/%77p-json/calendar/ev%65nts/v1/%65vents/%35", "/events/{id} 5 en"},
		{"/e%73/wp-json/tr%69be/events/v1/events/by%2Dslug/%4aazz%7E%C3%A9", "/events/by-slug/{slug} Jazz~é es legacy"},
		{"//", " en start"},

		// Other paths at the site (recordings events/en/list-double-slash,
		// errors/en/percent-encoded-path).
		{"/wp-json//calendar/events/v1/events", "404 en"},
		{"/wp-json/calendar/events/v1//events", "404 en"},
		{"/wp-json/calendar%2Fevents/v1/events", "404 en"},
		{"/es/wp-json/tribe%2Fevents%2Fv1/events", "404 es"},
		{"//e%73/wp-json/nope", "404 es"},
		{"//es/wp-json/tribe/ev%65nts/v1/nope", "404 es legacy"},
		{"/wp-json/calendar/events/v1/events/by-slug/a%2Fb", "404 en"},
		{"/wp-json/calendar/events/v1/events/by-slug/a%252Fb", "/events/by-slug/{slug} a%2Fb en"},
		{"/wp-json/calendar/events/v1/events/by-slug/%2e%2e", "404 en"},
		{"/wp-json/calendar/events/v1/events/by-slug/%2e%2e/%2e%2e/x", "404 en"},
		{"/wp-json/calendar/events/v1/events/%2e%2e/events", "404 en"},
		{"/wp-json/calendar/events/v1/events/%2535", "404 en"},
	} {
		req := httptest.NewRequest(http.MethodGet, "/", nil)
		var err error
		if req.URL, err = req.URL.Parse("http://example.org" + test.path); err != nil {
			t.Fatal(err)
		}
		if got := show(site, r, req); got != test.want {
			t.Errorf("%s: got %q, want %q", test.path, got, test.want)
		}
	}
}

func show(site i18n.Languages, r *router, req *http.Request) string {
	m, err := r.match(req)
	got := m.Path
	if m.Item != "" {
		got += " " + m.Item
	}
	if err != nil {
		got = "404"
	}
	got += " " + site[m.Root].Code
	if m.InLegacyNames {
		got += " legacy"
	}
	if m.Start {
		got += " start"
	}
	return got
}

// FuzzMatch: a path that is found is in the table, and its item is one segment that names no
// other path.
func FuzzMatch(f *testing.F) {
	for _, path := range mapping.Paths() {
		f.Add("/wp-json/calendar/events/v1" + path)
		f.Add("//es/wp-json/tribe/ev%65nts/v1" + path + "//")
	}
	f.Add("/wp-json/calendar/events/v1/events/by-slug/%2e%2E%2f..%252e")
	f.Add("/%2e%2e/wp-json/calendar/events/v1/events/%35%")
	r := newRouter(i18n.Languages{{Code: "en", Root: "/wp-json"}, {Code: "es", Root: "/es/wp-json"}}, true, "tribe/events/v1")
	f.Fuzz(func(t *testing.T, path string) {
		req := httptest.NewRequest(http.MethodGet, "/", nil)
		u, err := req.URL.Parse("http://example.org/" + path)
		if err != nil {
			return
		}
		req.URL = u
		m, err := r.match(req)
		if err != nil || m.Docs || m.Start {
			return
		}
		if m.Endpoint == nil || m.Endpoint.Path != m.Path {
			t.Fatalf("%s: path %q of %v", path, m.Path, m.Endpoint)
		}
		if m.Item == "." || m.Item == ".." || strings.Contains(m.Item, "/") {
			t.Fatalf("%s: item %q", path, m.Item)
		}
	})
}
