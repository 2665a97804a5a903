package sim

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// newModeClient is a client of a site with that mode.
func newModeClient(t *testing.T, mode LanguageMode) *client {
	t.Helper()
	return &client{t: t, site: New(Options{Clock: func() time.Time { return testNow }, Site: recordedHost, Languages: mode})}
}

// recordedModes are the recordings of sites with language plugins: the folder, how the
// names of files begin, and the mode that they are of.
var recordedModes = []struct {
	folder, prefix string
	mode           LanguageMode
}{
	{"polylang", "glue-", ByParameter},
	{"polylang", "", Mixed},
	{"translatepress", "glue-", OneIDTranslated},
	{"translatepress", "", OneID},
}

// otherSetUp begins the names of recordings of set-ups that the stand-in lacks: the default
// language shown in URLs, plain permalinks, pages, WordPress's own API.
var otherSetUp = regexp.MustCompile(`^(shown|plain|home|wp|doc|namespace)`)

// loadModes reads the reads among them.
func loadModes(t *testing.T) map[LanguageMode][]exchange {
	t.Helper()
	out := map[LanguageMode][]exchange{}
	seen := map[string]bool{}
	for _, m := range recordedModes {
		for _, x := range readExchanges(t, 2, m.folder) {
			name := path.Base(x.file)
			reads := x.Request.Method == http.MethodGet || x.Request.Method == http.MethodHead
			if strings.HasPrefix(name, m.prefix) && !seen[x.file] && reads && !otherSetUp.MatchString(name) {
				out[m.mode] = append(out[m.mode], x)
			}
			seen[x.file] = seen[x.file] || strings.HasPrefix(name, m.prefix)
		}
	}
	return out
}

// TestLanguageRecordings asks what sites with Polylang and TranslatePress were asked,
// and compares what depends on the language: status, type, where links lead, and of
// which language the listed items are.
func TestLanguageRecordings(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	compared := 0
	for mode, exchanges := range loadModes(t) {
		c := newModeClient(t, mode)
		ids := c.roles()
		for _, x := range exchanges {
			path, ok := ids.path(x.Request.Path)
			if !ok {
				continue // reads what another exchange wrote
			}
			compared++
			t.Run(x.file, func(t *testing.T) {
				rec := c.do(x.Request.Method, path, bodyOf(t, x), func(r *http.Request) { headersOf(r, x) })
				compareLanguage(t, x, rec)
			})
		}
	}
	if compared < 100 {
		t.Errorf("%d recordings compared", compared)
	}
}

func bodyOf(t *testing.T, x exchange) string {
	t.Helper()
	if x.Request.Body == nil {
		return ""
	}
	data, err := json.Marshal(x.Request.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func headersOf(r *http.Request, x exchange) {
	for name, value := range x.Request.Headers {
		r.Header.Set(name, value)
	}
}

func compareLanguage(t *testing.T, x exchange, rec *httptest.ResponseRecorder) {
	t.Helper()
	if rec.Code != x.Response.Status {
		t.Fatalf("status %d, want %d: %.200s", rec.Code, x.Response.Status, rec.Body)
	}
	wantType, _ := x.Response.Headers["Content-Type"].(string)
	if got := strings.Join(headerOf(rec, "Content-Type"), ""); !strings.EqualFold(got, wantType) {
		t.Errorf("type %s, want %s", got, wantType)
	}
	want, ok := x.Response.Body.(map[string]any)
	if !ok {
		return // a page, or a list of languages
	}
	if link := strings.Join(headerOf(rec, "Link"), ""); link != x.Response.Headers["Link"] {
		t.Errorf("Link %s, want %s", link, x.Response.Headers["Link"])
	}
	var got map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(linksOf(want), linksOf(got)); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	wants := placesOf(want)
	gots := placesOf(got)
	for place := range wants {
		if !gots[place] && len(gots) > 0 {
			t.Errorf("items of %s are missing: there are %v", place, gots)
		}
	}
	if len(wants) == 1 && len(gots) > 1 {
		t.Errorf("items of %v, want %v", gots, wants)
	}
}

// linksOf are the links of an answer itself, without ids and what follows a page.
func linksOf(body map[string]any) map[string]string {
	links := map[string]string{}
	for _, name := range []string{"rest_url", "next_rest_url", "url", "home", "global_id"} {
		if s, ok := body[name].(string); ok && name != "next_rest_url" {
			links[name] = placeOf(s)
		} else if ok {
			u, err := url.Parse(s)
			links[name] = strings.TrimSuffix(u.Path, "/")
			if err != nil || u.Query().Has("lang") {
				links[name] = s
			}
		}
	}
	if body["home"] == nil && body["total"] != nil {
		delete(links, "next_rest_url") // the seed has more
	}
	return links
}

var lastPart = regexp.MustCompile(`[^/=]+/?$`)

// placeOf is a link without the last part of its path, which names an item.
func placeOf(link string) string {
	path, query, _ := strings.Cut(link, "?")
	if strings.HasPrefix(query, "id=") {
		return path + "?id="
	}
	if strings.Count(path, "/") < 4 {
		return path
	}
	return lastPart.ReplaceAllString(path, "")
}

// categoryAncestors are what stands behind the word for a category in its page.
var categoryAncestors = regexp.MustCompile(`(/(?:category|categoria|kategorie|categorie))/.*`)

// placesOf are where the pages of listed items are.
func placesOf(body map[string]any) map[string]bool {
	places := map[string]bool{}
	for _, key := range []string{"events", "venues", "organizers", "categories", "tags"} {
		items, isList := body[key].([]any)
		if body["total"] == nil || !isList {
			continue
		}
		for _, item := range items {
			if link, ok := item.(map[string]any)["url"].(string); ok {
				places[categoryAncestors.ReplaceAllString(placeOf(link), "$1/")] = true
			}
		}
	}
	return places
}
