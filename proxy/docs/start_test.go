package docs_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/google/go-cmp/cmp"
)

// asBrowser is the Accept of a browser that follows a link.
const asBrowser = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

// TestStartLinks: the targets of the start page's links are there, below the path of the public URL and
// in the language of the page, in both its forms.
func TestStartLinks(t *testing.T) {
	shared := []i18n.Language{
		{Code: "en", Root: "", Select: i18n.ByParameter},
		{Code: "es", Root: "", Select: i18n.ByParameter},
		{Code: "de", Root: "/de"},
	}
	roots := []i18n.Language{english(), {Code: "de", Root: "/de/wp-json"}}
	for _, test := range []struct {
		query string
		site  []i18n.Language
		want  []string // paths of documentation, document, index and events; without /calendar/events/v1
	}{
		{"", roots, []string{"/wp-json NS/docs/", "/wp-json NS/doc", "/wp-json NS", "/wp-json NS/events"}},
		{"?i18n_language=de", roots, []string{"/de/wp-json NS/docs/", "/de/wp-json NS/doc", "/de/wp-json NS", "/de/wp-json NS/events"}},
		{"?i18n_language=xx", roots, []string{"/wp-json NS/docs/", "/wp-json NS/doc", "/wp-json NS", "/wp-json NS/events"}},
		{"?i18n_language=es", shared, []string{
			" NS/docs/?i18n_language=es", " NS/doc?i18n_language=es", " NS?i18n_language=es", " NS/events?i18n_language=es",
		}},
		{"?i18n_language=fr", roots, []string{
			"/wp-json NS/docs/?i18n_language=fr", "/wp-json NS/doc?i18n_language=fr", "/wp-json NS?i18n_language=fr",
			"/wp-json NS/events?i18n_language=fr",
		}},
	} {
		t.Run(test.query, func(t *testing.T) {
			f := docsFacade("https://api.example.org/below", test.site...)
			var got struct{ Links map[string]string }
			body := docsAnswer(t, f, "GET", "/"+test.query).Body.Bytes()
			if err := json.Unmarshal(body, &got); err != nil {
				t.Fatal(err)
			}
			page := docsAnswer(t, f, "GET", "/"+test.query, asBrowser).Body.String()
			for i, name := range []string{"documentation", "openapi", "index", "events"} {
				want := "/below" + strings.ReplaceAll(test.want[i], " NS", "/calendar/events/v1")
				if got.Links[name] != "https://api.example.org"+want {
					t.Errorf("%s: %s, want %s", name, got.Links[name], want)
				}
				if !strings.Contains(page, `<a href="`+want+`">`) {
					t.Errorf("no link to %s in %q", want, links(page))
				}
			}
			for _, link := range links(page) {
				suffix, ok := strings.CutPrefix(link, "/below")
				if res := docsAnswer(t, f, "OPTIONS", suffix); !ok ||
					res.Code >= http.StatusBadRequest && res.Code != http.StatusMethodNotAllowed {
					t.Errorf("%s: status %d", link, res.Code)
				}
			}
			for _, link := range regexp.MustCompile(`<a href="(\./[^"]*)"`).FindAllStringSubmatch(page, -1) {
				base, err := url.Parse("/")
				if err != nil {
					t.Fatal(err)
				}
				if base, err = base.Parse(link[1]); err != nil ||
					docsAnswer(t, f, "GET", base.String(), asBrowser).Header().Get("Content-Language") != base.Query().Get("i18n_language") {
					t.Errorf("%s: %v: the page is in another language", link[1], err)
				}
			}
		})
	}
}

// TestStartForms: clients get JSON unless they prefer HTML.
func TestStartForms(t *testing.T) {
	f := docsFacade(facadetest.PublicURL, english(), i18n.Language{Code: "es", Root: "/es/wp-json"})
	for accept, want := range map[string]string{
		asBrowser: "text/html; charset=utf-8", "Accept: text/html": "text/html; charset=utf-8",
		"Accept: text/html, application/json;q=0.9": "text/html; charset=utf-8",
		"": "application/json; charset=UTF-8", "Accept: */*": "application/json; charset=UTF-8",
		"Accept: application/json":                  "application/json; charset=UTF-8",
		"Accept: application/json, text/plain, */*": "application/json; charset=UTF-8",
		"Accept: text/html, application/json":       "application/json; charset=UTF-8",
		"Accept: text/html;q=0, */*":                "application/json; charset=UTF-8",
		"Accept: image/png":                         "application/json; charset=UTF-8",
	} {
		if got := docsAnswer(t, f, "GET", "/", accept).Header().Get("Content-Type"); got != want {
			t.Errorf("%q: %s, want %s", accept, got, want)
		}
	}
	res := docsAnswer(t, f, "GET", "/?i18n_language=es")
	facadetest.CheckLeaks(t, res.Header(), res.Body.Bytes())
	var got any
	if err := json.Unmarshal(res.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	base := facadetest.PublicURL + "/es/wp-json/calendar/events/v1"
	want := map[string]any{
		"name": "Interfaz REST del calendario de eventos", "description": i18n.Catalog("es").Text("document.description", nil),
		"language": "es",
		"links": map[string]any{
			"documentation": base + "/docs/", "openapi": base + "/doc", "index": base,
			"events": base + "/events", "venues": base + "/venues", "organizers": base + "/organizers",
			"categories": base + "/categories", "tags": base + "/tags",
		},
		"languages": []any{
			map[string]any{"code": "en", "name": "English", "href": facadetest.PublicURL + "/wp-json/calendar/events/v1"},
			map[string]any{"code": "es", "name": "Español", "href": base},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	page := docsAnswer(t, f, "GET", "/", asBrowser)
	if facadetest.Mentions(page.Body.String()) || page.Body.Len() > 4096 {
		t.Errorf("the page, %d bytes: %s", page.Body.Len(), page.Body)
	}
}

// TestStartHeader: both forms can be stored and revalidated, and caches tell them apart. The
// page has the header fields of a page, without any script.
func TestStartHeader(t *testing.T) {
	f := docsFacade(facadetest.PublicURL, english())
	policy := docsAnswer(t, f, "GET", "/", asBrowser).Header().Get("Content-Security-Policy")
	if policy != "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" {
		t.Errorf("the policy is %q", policy)
	}
	tags := map[string]bool{}
	for _, accept := range []string{asBrowser, "Accept: */*"} {
		res := docsAnswer(t, f, "GET", "/", accept)
		h := res.Header()
		for name, want := range map[string]string{
			"Cache-Control": "no-cache", "Vary": "Accept, Accept-Encoding", "Content-Language": "en", "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s, %s: %q, want %q", accept, name, got, want)
			}
		}
		tags[h.Get("Etag")] = true
		again := docsAnswer(t, f, "GET", "/", accept, "If-None-Match: "+h.Get("Etag"))
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 || again.Header().Get("Vary") != "Accept, Accept-Encoding" ||
			again.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s, with its validator: %d %v", accept, again.Code, again.Header())
		}
		head := docsAnswer(t, f, "HEAD", "/", accept)
		if head.Code != http.StatusOK || head.Body.Len() > 0 || head.Header().Get("Etag") != h.Get("Etag") ||
			head.Header().Get("Content-Length") != h.Get("Content-Length") {
			t.Errorf("%s, HEAD: %d %v", accept, head.Code, head.Header())
		}
	}
	if len(tags) != 2 || tags[""] {
		t.Errorf("the forms have the validators %v", tags)
	}
	complete := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://api.example.org", nil)
	w := httptest.NewRecorder()
	f.ServeHTTP(w, complete)
	if w.Code != http.StatusOK || complete.URL.Path != "" {
		t.Errorf("a complete URL without a path: %d %q", w.Code, complete.URL.Path)
	}
}

// TestStartOff: without the documentation page there is no start page.
func TestStartOff(t *testing.T) {
	f := proxy.New(proxy.Options{PublicURL: facadetest.PublicURL, Site: i18n.Languages{english()}})
	for _, accept := range []string{"", asBrowser} {
		if got := docsAnswer(t, f, "GET", "/", accept); got.Code != http.StatusNotFound ||
			!strings.Contains(got.Body.String(), "rest_no_route") {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	}
}
