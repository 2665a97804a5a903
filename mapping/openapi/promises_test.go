package openapi_test

import (
	"html"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// TestWriteExamples: a text that a reader copies from the example of a write is plain, and ahead of him.
func TestWriteExamples(t *testing.T) {
	for _, code := range i18n.Codes {
		doc := parse(t, document(code))
		examples := 0
		for _, e := range mapping.Table {
			path := "/" + strings.TrimPrefix(e.Path, "/")
			example, _ := member(doc, "paths", path, strings.ToLower(e.Methods[0]), "requestBody", "content", "application/json",
				"example").(object)
			for name, value := range example {
				examples++
				text, _ := value.(string)
				if text == "" || strings.Contains(text, "<") || html.UnescapeString(text) != text {
					t.Errorf("%s: %s.%s is %q", code, e.Name(), name, text)
				}
				if date, err := time.Parse(time.DateTime, text); strings.HasSuffix(name, "_date") && (err != nil || date.Year() < 2030) {
					t.Errorf("%s: %s.%s is %q", code, e.Name(), name, text)
				}
			}
		}
		if examples < 10 {
			t.Errorf("%s: only %d examples", code, examples)
		}
	}
}

// TestImpliedMethods: HEAD fails like GET, and OPTIONS declares no values that it does not check.
func TestImpliedMethods(t *testing.T) {
	doc := parsed(t)
	for path, v := range member(doc, "paths").(object) {
		for _, status := range []string{"400", "401", "403", "404"} {
			if head := member(v, "head"); head != nil && (member(v, "get", "responses", status) != nil) !=
				(member(head, "responses", status) != nil) {
				t.Errorf("HEAD %s: %s is not as for GET", path, status)
			}
		}
		for _, p := range member(v, "options", "parameters").([]any) {
			if enum := member(resolved(doc, p), "schema", "enum"); enum != nil {
				t.Errorf("OPTIONS %s: %v has values %v", path, member(resolved(doc, p), "name"), enum)
			}
		}
	}
}

// TestLooseTypes: types are those that the parser and the site take.
func TestLooseTypes(t *testing.T) {
	doc := parsed(t)
	for _, test := range []struct {
		path []string
		want any
	}{
		{[]string{"parameters", "events.query.strict_dates", "schema", "type"}, "string"}, // any other text is false
		{[]string{"schemas", "EventsCreate", "properties", "website", "type"}, []any{"string", "null"}},
		{[]string{"schemas", "EventsUpdate", "properties", "website", "type"}, []any{"string", "null"}},
	} {
		if diff := cmp.Diff(test.want, member(doc, append([]string{"components"}, test.path...)...)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.path, diff)
		}
	}
}
