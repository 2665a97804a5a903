package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping/mappingtest"
)

// send sends r, follows nothing, and reads the answer to its end.
func send(t *testing.T, r *http.Request) (*http.Response, []byte) {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return res, body
}

// vendor matches texts of the legacy that must not be seen: the names of its plugins, and
// WordPress's own routes.
var vendor = regexp.MustCompile(`(?i)tribe|\btec\b|\btec_|x-tec|wpml|wp(/|%2f)v2|rest_route`)

// mentions reports whether s has something that vendor matches. It looks for parts of
// that first: the race detector makes the expression tens of times slower.
func mentions(s string) bool {
	lower := strings.ToLower(s)
	return slices.ContainsFunc(vendorParts, func(part string) bool { return strings.Contains(lower, part) }) && vendor.MatchString(s)
}

// vendorParts are in whatever vendor matches, at least one of them.
var vendorParts = []string{"tribe", "tec", "wpml", "v2", "rest_route"}

// slugAtEnd matches the end of the URL of a page, which people's own words made.
var slugAtEnd = regexp.MustCompile(`(/)[^/?]+/$|(\?\w+=)[^&]+$`)

// prose are the names of texts that people write, where anything may stand.
var prose = []string{
	"title", "description", "excerpt", "website", "sameAs", "name", "venue", "organizer", "address", "slug", "cost",
}

// checkLeaks fails if an answer shows anything of the legacy, which is at
// legacy. Every test of this package that gets an answer hands it here.
func checkLeaks(t *testing.T, h http.Header, body []byte, legacy string) {
	t.Helper()
	for name, values := range h {
		if name == "X-Request-Id" {
			continue // random letters: now and then they make any short word
		}
		if s := name + ": " + strings.Join(values, ", "); mentions(s) || strings.Contains(s, legacy) {
			t.Errorf("leak: header %s", s)
		}
	}
	if len(body) == 0 {
		return
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Errorf("leak: the body is no JSON: %v: %.200s", err, body)
	}
	for _, leak := range leaksIn("", v, legacy) {
		t.Errorf("leak: %s", leak)
	}
}

// leaksIn walks an answer. It knows nothing of the table on purpose. Pages of
// the legacy site stay where they are; its REST interface must not show.
func leaksIn(path string, v any, legacy string) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if mentions(name) {
				out = append(out, path+"."+name)
			}
			if _, text := inner.(string); !text || !slices.Contains(prose, name) {
				out = append(out, leaksIn(path+"."+name, inner, legacy)...)
			}
		}
	case []any:
		for i, inner := range v {
			out = append(out, leaksIn(fmt.Sprintf("%s[%d]", path, i), inner, legacy)...)
		}
	case string:
		value := v
		if strings.HasPrefix(v, legacy) {
			if strings.HasSuffix(path, ".url") && legacy != pages { // where pages are shown elsewhere, no URL has the type
				value = mappingtest.WithoutDraftType(value)
			}
			value = slugAtEnd.ReplaceAllString(value, "$1$2")
		}
		if mentions(value) || strings.HasPrefix(v, legacy) && strings.Contains(v, "wp-json") {
			out = append(out, path+": "+v)
		}
	}
	return out
}

func TestLeakCheckSees(t *testing.T) {
	const legacy = "http://127.0.0.1:9"
	for _, body := range []string{
		`{"rest_url":"http:\/\/elsewhere.example\/tribe\/events\/v1"}`,
		`{"a":[{"taxonomy":"tribe_events_cat"}]}`,
		`{"wpml_language":1}`,
		`{"url":"http:\/\/127.0.0.1:9\/es\/wp-json\/"}`,
		`{"href":"http://127.0.0.1:9/?post_type=tribe_events&p=5"}`,
		`{"url":"http://elsewhere.example/?post_type=tribe_events&p=5"}`,
		`{"url":"http://127.0.0.1:9/?post_type=tribe_events_cat&p=5"}`,
		`{"url":"http://127.0.0.1:9/?post_type=tribe_events&tribe_events=a&p=5"}`,
		`{"url":"http://127.0.0.1:9/?tribe_events=fair"}`,
		`{"url":"http://127.0.0.1:9/index.php?rest_route=/oembed"}`,
		`{"url":"http://elsewhere.example/event/tribe_events/"}`,
		`{"venue":{"href":"https://x.example/wp-json/wp/v2/tags"}}`,
		`{"venue":{"href":"https://x.example/index.php?rest_route=%2Foembed"}}`,
		`{"href":"https://x.example/wp%2Fv2"}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Fatal(err)
		}
		if len(leaksIn("", v, legacy)) != 1 {
			t.Errorf("no leak seen in %s", body)
		}
	}
}
