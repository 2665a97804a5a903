package mappingtest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/mappingtest"
	"github.com/calfacade/calfacade/mapping/openapi"
)

// TestCheckFindsChanges: each change of a valid response is reported.
func TestCheckFindsChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	document := openapi.Document("/", "en", i18n.Catalog("en"))
	c, err := mappingtest.LoadContract(document, false)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Examples map[string]struct{ Value map[string]any }
		}
	}
	for _, test := range []struct {
		name, want string
		change     func(event map[string]any, res *http.Response)
	}{
		{"nothing", "", func(map[string]any, *http.Response) {}},
		{"unknown field", "", func(e map[string]any, _ *http.Response) { e["other"] = 1 }},
		{"a venue that is an empty list", "", func(e map[string]any, _ *http.Response) { e["venue"] = []any{} }},
		{"image false", "", func(e map[string]any, _ *http.Response) { e["image"] = false }},
		{"image true", "image", func(e map[string]any, _ *http.Response) { e["image"] = true }},
		{"image null", "image", func(e map[string]any, _ *http.Response) { e["image"] = nil }},
		{"id as text", "id", func(e map[string]any, _ *http.Response) { e["id"] = "5" }},
		{"author as number", "author", func(e map[string]any, _ *http.Response) { e["author"] = 5 }},
		{"date without time", "start_date", func(e map[string]any, _ *http.Response) { e["start_date"] = "2026-01-05" }},
		{"title gone", "title", func(e map[string]any, _ *http.Response) { delete(e, "title") }},
		{"null title", "title", func(e map[string]any, _ *http.Response) { e["title"] = nil }},
		{"venue false", "venue", func(e map[string]any, _ *http.Response) { e["venue"] = false }},
		{"venue within with a wrong id", "venue", func(e map[string]any, _ *http.Response) { e["venue"].(map[string]any)["id"] = "x" }},
		{"fields in a list", "custom_fields", func(e map[string]any, _ *http.Response) { e["custom_fields"] = []any{"x"} }},
		{"status", "status 418", func(_ map[string]any, r *http.Response) { r.StatusCode = 418 }},
		{"unknown header", "X-New", func(_ map[string]any, r *http.Response) { r.Header.Set("X-New", "1") }},
		{"missing header", "Content-Language", func(_ map[string]any, r *http.Response) { r.Header.Del("Content-Language") }},
		{"content type", "text/html", func(_ map[string]any, r *http.Response) { r.Header.Set("Content-Type", "text/html") }},
	} {
		if err := json.Unmarshal(document, &doc); err != nil {
			t.Fatal(err)
		}
		event := doc.Components.Examples["events.read"].Value
		res := &http.Response{StatusCode: http.StatusOK, Header: http.Header{
			"Content-Type": {"application/json"}, "Content-Language": {"en"}, "X-Request-Id": {"x"},
		}}
		test.change(event, res)
		body, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		err = c.Check(http.MethodGet, "/events/{id}", res, body)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: got %v, want an error about %s", test.name, err, test.want)
		}
	}
}

func TestTable(t *testing.T) {
	for path, want := range map[string]string{
		"/wp-json/calendar/events/v1": "", "/es/wp-json/calendar/events/v1/Events/": "/events",
		"/calendar/events/v1/events/12":         "/events/{id}",
		"/calendar/events/v1/venues/by-slug/12": "/venues/by-slug/{slug}", "/x": "none",
	} {
		if got := mappingtest.TablePath(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
