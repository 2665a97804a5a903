package proxy_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping/mappingtest"
)

// checkLeaks fails if an answer shows anything of the legacy. Every test that
// gets an answer of a facade hands it here.
func checkLeaks(t testing.TB, h http.Header, body []byte) {
	t.Helper()
	for name, values := range h {
		if name == "X-Request-Id" {
			continue // chance spells anything
		}
		for _, s := range append(values, name) {
			if mentions(s) {
				t.Errorf("leak: header %s: %s", name, s)
			}
			if strings.ContainsFunc(s, func(r rune) bool { return r >= 0x7f }) {
				t.Errorf("header %s is not ASCII: %s", name, s)
			}
		}
	}
	if len(body) == 0 {
		return
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Errorf("leak: the body is no JSON: %v", err)
		return
	}
	for _, leak := range leaksIn("", v) {
		t.Errorf("leak: %s", leak)
	}
}

// vendor matches what must not be seen: the vendor's and the language plugin's names,
// WordPress's own routes, and the REST roots of the legacy hosts of the tests.
var vendor = regexp.MustCompile(`(?i)tribe|\btec\b|\btec_|x-tec|wpml|wp(\\?/|%2f)v2|rest_route|(legacy[-a-z]*\.example|` +
	`127\.0\.0\.1)[^" ]*?/wp-json`)

// mentions reports whether s has something that vendor matches. It looks for parts of
// that first: the race detector makes the expression tens of times slower.
func mentions(s string) bool {
	lower := strings.ToLower(s)
	return slices.ContainsFunc(vendorParts, func(part string) bool { return strings.Contains(lower, part) }) && vendor.MatchString(s)
}

// vendorParts are in whatever vendor matches, at least one of them.
var vendorParts = []string{"tribe", "tec", "wpml", "v2", "rest_route", "wp-json"}

// prose are the names of texts that people write, where anything may stand.
var prose = []string{
	"title", "description", "excerpt", "website", "sameAs", "name", "venue", "organizer",
	"address", "slug", "cost", "custom_fields", "custom",
}

// leaksIn walks an answer. It knows nothing of the table on purpose.
func leaksIn(path string, v any) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		slug, _ := v["slug"].(string)
		for name, inner := range v {
			if page, ok := inner.(string); ok && name == "url" {
				page = mappingtest.WithoutDraftType(page)
				if slug != "" {
					page = strings.Replace(page, slug, "", 1)
				}
				inner = page
			}
			if mentions(name) {
				out = append(out, path+"."+name)
			}
			if _, text := inner.(string); text && slices.Contains(prose, name) || name == "custom_fields" {
				continue
			}
			out = append(out, leaksIn(path+"."+name, inner)...)
		}
	case []any:
		for i, inner := range v {
			out = append(out, leaksIn(fmt.Sprintf("%s[%d]", path, i), inner)...)
		}
	case string:
		if mentions(v) {
			out = append(out, path+": "+v)
		}
	}
	return out
}

func TestLeakCheckSees(t *testing.T) {
	for _, body := range []string{
		`{"rest_url":"http:\/\/x.example\/wp-json\/tribe\/events\/v1"}`,
		`{"a":[{"taxonomy":"tribe_events_cat"}]}`,
		`{"wpml_language":"x"}`,
		`{"href":"https://x.example/wp-json/wp/v2/tags"}`,
		`{"url":"https://legacy.example/es/wp-json/"}`,
		`{"h":{"X-TEC-Total":"5"}}`,
		`{"a":"https:\u002f\u002fx.example\u002ftribe\u002fevents\u002fv1"}`,
		`{"a":"HTTPS://LEGACY.EXAMPLE:443/index.php/WP-JSON/"}`,
		`{"a":"//127.0.0.1:8080/wp-json"}`,
		`{"a":"https://x.example/index.php?rest_route=%2Foembed"}`,
		`{"a":"https://x.example/wp%2Fv2"}`,
		`{"code":"x","message":"see http://legacy.example/es/wp-json/"}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Fatal(err)
		}
		if len(leaksIn("", v)) == 0 {
			t.Errorf("no leak seen in %s", body)
		}
	}
}
