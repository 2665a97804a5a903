package rewrite

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/recordedtest"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// TestRecordedLinks rewrites responses of real sites with plain permalinks, with Polylang and with
// TranslatePress. Each link to the namespace becomes a link to the facade, below the root of the
// language that its directory names, and no link to the REST interface is left.
func TestRecordedLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	links := 0
	for _, file := range recordedtest.Files(t, "plain/*/*", "polylang/*/*", "translatepress/*/*") {
		links += checkRecordedLinks(t, file)
	}
	if links < 1300 {
		t.Errorf("only %d links checked", links)
	}
}

func checkRecordedLinks(t *testing.T, file string) (links int) {
	t.Helper()
	x := recordedtest.Read(t, file)
	body := []byte(x.Response.Body)
	if x.Response.BodyRaw != "" {
		body = []byte(x.Response.BodyRaw)
	}
	e := recordedRow(x.Request.Method, x.Request.Path)
	if e == nil || len(body) == 0 || body[0] != '{' || x.Response.Status >= http.StatusBadRequest {
		return 0
	}
	for _, root := range []string{"/wp-json", "/index.php?rest_route="} {
		got, err := recordedRewriter(root, "").Rewrite(t.Context(), &mapping.Call{Endpoint: e, Method: x.Request.Method, Item: "5"}, 0,
			x.Response.Status, body)
		if err != nil {
			t.Fatal(file, err)
		}
		links = compareLinks(t, file, "", decoded(t, body), decoded(t, got.Body))
	}
	result, err := recordedRewriter("/index.php?rest_route=", "https://pages.example").Rewrite(t.Context(),
		&mapping.Call{Endpoint: e, Method: x.Request.Method, Item: "5"}, 0, x.Response.Status, body)
	if err != nil {
		t.Fatal(file, err)
	}
	for _, page := range vendorPage.FindAllString(string(result.Body), -1) {
		t.Errorf("%s: pages are shown elsewhere, and one is %s", file, page)
	}
	return links
}

// vendorPage is a link to a page of a site with plain permalinks: of a venue, say.
var vendorPage = regexp.MustCompile(`"url": *"[^"]*[?&](?:[^"]*=)?tribe_[^"]*"`)

// recordedRewriter is for the roots of the languages, which all have the same ending.
func recordedRewriter(root, pages string) *Rewriter {
	var roots []RootURLs
	for _, dir := range []string{"", "/es", "/de", "/fr"} {
		roots = append(roots, RootURLs{
			Language: cmp.Or(strings.TrimPrefix(dir, "/"), "en"),
			Upstream: "http://legacy.example" + dir + root,
			Public:   "https://api.example" + dir,
		})
	}
	return New(mapping.API{Dialect: tribe.Dialect, LanguageParam: "lang"}, roots, Spellings{Pages: pages})
}

// routeIn returns the language's directory and the route of a URL. It reads the URL independently
// of the facade.
func routeIn(s string) (dir, route string) {
	u, err := url.Parse(strings.ReplaceAll(s, " ", "%20"))
	if err != nil {
		return "", ""
	}
	m := regexp.MustCompile(`^(/[a-z]{2})?(?:/index\.php)?(?:/wp-json)?(/.*)?$`).FindStringSubmatch(u.Path)
	if m == nil {
		return "", ""
	}
	return m[1], cmp.Or(u.Query().Get("rest_route"), m[2])
}

// recordedRow is the row of the table that a recorded request is for; nil without a row.
func recordedRow(method, target string) *mapping.Endpoint {
	_, route := routeIn(target)
	suffix, ok := strings.CutPrefix(strings.TrimSuffix(route, "/"), "/tribe/events/v1/")
	segments := strings.Split(suffix, "/")
	for _, e := range mapping.Table {
		pattern := strings.Split(strings.TrimPrefix(e.Path, "/"), "/")
		fits := func(s string) bool { return strings.HasPrefix(s, "{") || slices.Contains(segments, s) }
		if ok && e.Allows(method) && len(pattern) == len(segments) && pattern[0] == segments[0] &&
			!slices.ContainsFunc(pattern, func(s string) bool { return !fits(s) }) {
			return e
		}
	}
	return nil
}

func decoded(t *testing.T, body []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

var restInterface = regexp.MustCompile(`(?i)/wp-json|[?&]rest_route=|tribe/events`)

// compareLinks compares the links of a body before and after. It also checks members that are
// missing after: _links lose links that leave the namespace.
func compareLinks(t *testing.T, file, name string, old, rewritten any) (links int) {
	t.Helper()
	switch rewritten := rewritten.(type) {
	case map[string]any:
		was, _ := old.(map[string]any)
		for name, inner := range rewritten {
			links += compareLinks(t, file, name, was[name], inner)
		}
	case []any:
		was, _ := old.([]any)
		for i := range rewritten {
			links += compareLinks(t, file, name, was[min(i, len(was)-1)], rewritten[i])
		}
	case string:
		prose := []string{"name", "title", "description", "excerpt", "website"}
		if restInterface.MatchString(rewritten) && !slices.Contains(prose, name) {
			t.Errorf("%s: %s is %s", file, name, rewritten)
		}
		if !slices.Contains([]string{"rest_url", "next_rest_url", "previous_rest_url", "self", "collection", "up"}, name) {
			return 0
		}
		links++
		dir, route := routeIn(old.(string))
		want := "https://api.example" + strings.TrimSuffix(dir, "/en") +
			strings.Replace(route, "/tribe/events/v1", "/calendar/events/v1", 1)
		if strings.HasSuffix(route, "/") { // of a list, made from the call
			want = "https://api.example/" + mapping.Namespace
		}
		if got, _, _ := strings.Cut(rewritten, "?"); got != want && !strings.HasSuffix(route, "/") || !strings.HasPrefix(rewritten, want) {
			t.Errorf("%s: %s is %s, want %s", file, name, rewritten, want)
		}
	}
	return links
}
