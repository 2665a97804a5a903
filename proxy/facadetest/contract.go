package facadetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
	"github.com/calfacade/calfacade/mapping/openapi"
	"github.com/calfacade/calfacade/proxy/docs"
)

// CheckLeaks fails if an answer shows anything of the legacy. Every test that
// gets an answer of a facade hands it here.
func CheckLeaks(t testing.TB, h http.Header, body []byte) {
	t.Helper()
	for name, values := range h {
		if name == "X-Request-Id" {
			continue // chance spells anything
		}
		for _, s := range append(values, name) {
			if Mentions(s) {
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
	for _, leak := range LeaksIn("", v) {
		t.Errorf("leak: %s", leak)
	}
}

// vendor matches the words that must not be seen: the vendor's and the language plugin's names,
// WordPress's own routes, and the REST roots of the legacy hosts of the tests.
var vendor = regexp.MustCompile(`(?i)tribe|\btec\b|\btec_|x-tec|wpml|wp(\\?/|%2f)v2|rest_route|(legacy[-a-z]*\.example|` +
	`127\.0\.0\.1)[^" ]*?/wp-json`)

// Mentions reports whether s has something that vendor matches. It looks for parts of
// that first: the race detector makes the expression tens of times slower.
func Mentions(s string) bool {
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

// LeaksIn walks an answer. It knows nothing of the table on purpose.
func LeaksIn(path string, v any) []string {
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
			if Mentions(name) {
				out = append(out, path+"."+name)
			}
			if _, text := inner.(string); text && slices.Contains(prose, name) || name == "custom_fields" {
				continue
			}
			out = append(out, LeaksIn(path+"."+name, inner)...)
		}
	case []any:
		for i, inner := range v {
			out = append(out, LeaksIn(fmt.Sprintf("%s[%d]", path, i), inner)...)
		}
	case string:
		if Mentions(v) {
			out = append(out, path+": "+v)
		}
	}
	return out
}

func OpenAPI(code string) []byte {
	return openapi.Document(PublicURL+"/wp-json/"+mapping.Namespace, code, i18n.Catalog(code))
}

var Full, excerpts = sync.OnceValues(load(false)), sync.OnceValues(load(true))

func load(excerpts bool) func() (*mappingtest.Contract, error) {
	return func() (*mappingtest.Contract, error) { return mappingtest.LoadContract(OpenAPI("en"), excerpts) }
}

// CheckContract fails if an answer is not as the documentation promises.
func CheckContract(t testing.TB, load func() (*mappingtest.Contract, error), method, target string, res *http.Response, body []byte) {
	t.Helper()
	c, err := load()
	if err != nil {
		t.Fatal(err)
	}
	path, _, _ := strings.Cut(target, "?")
	if path == docs.StartPath || mappingtest.TablePath(path) == docs.Path {
		return // a page, and no part of the interface
	}
	path = mappingtest.TablePath(path)
	if err := c.Check(method, path, res, body); err != nil {
		t.Errorf("contract: %s %s: %.900v", method, target, err)
	}
}

const PublicURL = "https://api.example.org"
