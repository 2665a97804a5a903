package contract_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestOwnValidators: whatever calfacade makes by itself has a validator in each coding, is compressed, and
// is not sent again to a client that has it.
func TestOwnValidators(t *testing.T) {
	f := localFacade(nil)
	page := ask(t, f, "/wp-json/"+mapping.Namespace+"/docs/")
	script := regexp.MustCompile(`src="(/[^"]+page\.js)"`).FindStringSubmatch(page.Body.String())[1]
	for _, path := range []string{
		"/wp-json/" + mapping.Namespace, "/es/wp-json/" + mapping.Namespace + "?context=embed",
		"/wp-json/" + mapping.Namespace + "/doc", "/wp-json/" + mapping.Namespace + "/docs/", script,
	} {
		plain := ask(t, f, path)
		coded := ask(t, f, path, "Accept-Encoding: gzip")
		tags := map[string]bool{"": true}
		for _, w := range []*httptest.ResponseRecorder{plain, coded} {
			tag := w.Header().Get("Etag")
			if w.Code != http.StatusOK || tags[tag] || !strings.Contains(w.Header().Get("Vary"), "Accept-Encoding") {
				t.Errorf("%s: %d %v", path, w.Code, w.Header())
			}
			tags[tag] = true
			again := ask(t, f, path, "Accept-Encoding: gzip", "If-None-Match: "+tag)
			if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
				t.Errorf("%s: %d to a client that has %s", path, again.Code, tag)
			}
		}
		if coded.Header().Get("Content-Encoding") != "gzip" || coded.Body.Len()*2 > plain.Body.Len() {
			t.Errorf("%s: %d bytes of %d", path, coded.Body.Len(), plain.Body.Len())
		}
	}
}

// TestIndexOfTheDay: the index has today's defaults, and is made once a day.
func TestIndexOfTheDay(t *testing.T) {
	now := facadetest.Start
	f := localFacade(func() time.Time { return now })
	path := "/wp-json/" + mapping.Namespace
	today := ask(t, f, path)
	now = now.Add(time.Minute)
	if later := ask(t, f, path); later.Header().Get("Etag") != today.Header().Get("Etag") {
		t.Error("the index changes within a day")
	}
	now = now.Add(24 * time.Hour)
	tomorrow := ask(t, f, path, "If-None-Match: "+today.Header().Get("Etag"))
	if tomorrow.Code != http.StatusOK || !strings.Contains(tomorrow.Body.String(), `"default":"2026-11-21 23:59:00"`) {
		t.Errorf("the day after: %d", tomorrow.Code)
	}
}

// TestIndexLinks: the links of an index lead somewhere, in each language.
func TestIndexLinks(t *testing.T) {
	f := localFacade(nil)
	for _, root := range []string{"/wp-json/", "/es/wp-json/"} {
		body := ask(t, f, root+mapping.Namespace).Body.String()
		_, links, _ := strings.Cut(body[strings.LastIndex(body, `"_links"`):], ":")
		if want := `{"self":[{"href":"` + facadetest.PublicURL + root + mapping.Namespace + `"}]}}`; links != want {
			t.Errorf("%s: links %s, want %s", root, links, want)
		}
	}
}

// localFacade returns a facade before a site that does not exist.
func localFacade(clock func() time.Time) http.Handler {
	const nobody = "http://127.0.0.1:1" // tcpmux, which nothing speaks
	return proxy.New(proxy.Options{PublicURL: facadetest.PublicURL, Docs: true, Clock: clock, Site: i18n.Languages{
		{Code: "en", Root: "/wp-json", Upstream: nobody}, {Code: "es", Root: "/es/wp-json", Upstream: nobody},
	}})
}

// ask returns the response to a GET with header fields.
func ask(t *testing.T, f http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}
