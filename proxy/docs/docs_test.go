package docs_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/openapi"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/docs"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

const docsPath = "/wp-json/" + mapping.Namespace + docs.Path

func docsFacade(public string, site ...i18n.Language) *proxy.Facade {
	return proxy.New(proxy.Options{PublicURL: public, Site: site, Docs: true})
}

func english() i18n.Language { return i18n.Language{Code: "en", Root: "/wp-json"} }

// docsAnswer returns the response of f, to header fields in the form "Name: value".
func docsAnswer(t *testing.T, f http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

var linked = regexp.MustCompile(`(?:href|src|data-document|data-server)="(/[^"]*)"`)

func links(page string) (targets []string) {
	for _, m := range linked.FindAllStringSubmatch(page, -1) {
		targets = append(targets, m[1])
	}
	return targets
}

// TestDocsLinks: the targets of the page's links are there, under the path of the public
// URL and in the language of the page, whatever the languages' roots are.
func TestDocsLinks(t *testing.T) {
	shared := []i18n.Language{
		{Code: "en", Root: "", Select: i18n.ByParameter},
		{Code: "es", Root: "", Select: i18n.ByParameter},
		{Code: "de", Root: "/de"},
	}
	for _, test := range []struct {
		name, page string
		site       []i18n.Language
		want       []string // document, server, languages
	}{
		{"roots", "/de/wp-json", []i18n.Language{english(), {Code: "de", Root: "/de/wp-json"}}, []string{
			"/below/de/wp-json NS/doc", "/below/de/wp-json NS", "/below/wp-json NS/docs/", "/below/de/wp-json NS/docs/",
		}},
		{"shared root", "", shared, []string{"/below NS/doc", "/below NS", "/below NS/docs/", "/below NS/docs/?i18n_language=es",
			"/below/de NS/docs/"}},
		{"shared root, asked", "?i18n_language=es", shared, []string{
			"/below NS/doc?i18n_language=es", "/below NS", "/below NS/docs/", "/below NS/docs/?i18n_language=es", "/below/de NS/docs/",
		}},
		{"a language without a root", "?i18n_language=fr", shared, []string{
			"/below NS/doc?i18n_language=fr", "/below NS", "/below NS/docs/", "/below NS/docs/?i18n_language=es", "/below/de NS/docs/",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := docsFacade("https://api.example.org/below", test.site...)
			root, query, _ := strings.Cut(test.page, "?")
			page := docsAnswer(t, f, "GET", root+"/"+mapping.Namespace+docs.Path+"?"+query).Body.String()
			for _, want := range test.want {
				want = strings.ReplaceAll(want, " NS", "/"+mapping.Namespace)
				if !strings.Contains(page, `="`+want+`"`) {
					t.Errorf("no link to %s in %q", want, links(page))
				}
			}
			for _, link := range links(page) {
				suffix, ok := strings.CutPrefix(link, "/below")
				if got := docsAnswer(t, f, "GET", suffix).Code; !ok || got != http.StatusOK {
					t.Errorf("%s: status %d", link, got)
				}
			}
		})
	}
}

// TestDocsHeader: the page has the header fields of a page, its files are immutable, and
// responses of the API have neither.
func TestDocsHeader(t *testing.T) {
	f := docsFacade(facadetest.PublicURL, english())
	page := docsAnswer(t, f, "GET", docsPath+"/")
	policy := page.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'",
		"form-action 'none'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy+";", want+";") {
			t.Errorf("the policy %q lacks %s", policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy %q is none", policy)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Content-Language": "en", "X-Frame-Options": "DENY",
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "no-referrer", "Cache-Control": "no-cache", "Access-Control-Allow-Origin": "",
	} {
		if got := page.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, path := range []string{"/doc", "", "/nope"} {
		h := docsAnswer(t, f, "GET", "/wp-json/"+mapping.Namespace+path).Header()
		for _, name := range []string{"Content-Security-Policy", "X-Frame-Options", "Cross-Origin-Resource-Policy",
			"Cross-Origin-Opener-Policy"} {
			if got, ok := h[name]; ok {
				t.Errorf("%q: %s: %s", path, name, got)
			}
		}
	}
	again := docsAnswer(t, f, "GET", docsPath, "If-None-Match: "+page.Header().Get("Etag"))
	if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("with its validator: %d and %d bytes, want 304 and none", again.Code, again.Body.Len())
	}
}

func TestDocsAssets(t *testing.T) {
	f := docsFacade(facadetest.PublicURL, english())
	n := 0
	for _, link := range links(docsAnswer(t, f, "GET", docsPath).Body.String()) {
		if !strings.HasPrefix(link, docsPath+"/") || link == docsPath+"/" || path.Base(link) == docs.ClientFile {
			continue
		}
		n++
		plain := docsAnswer(t, f, "GET", link)
		packed := docsAnswer(t, f, "GET", link, "Accept-Encoding: gzip")
		for _, res := range []*httptest.ResponseRecorder{plain, packed} {
			if got := res.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
				t.Errorf("%s: Cache-Control: %s", link, got)
			}
		}
		body := packed.Body.Bytes()
		if len(body) > 16<<10 {
			t.Errorf("%s: %d bytes, not compressed", link, len(body))
		}
		if packed.Header().Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(packed.Body)
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(body, plain.Body.Bytes()) {
			t.Errorf("%s: compressed and plain differ", link)
		}
		head := docsAnswer(t, f, "HEAD", link)
		if head.Code != http.StatusOK || head.Body.Len() > 0 || head.Header().Get("Content-Length") != fmt.Sprint(plain.Body.Len()) {
			t.Errorf("HEAD %s: %d, %d bytes, Content-Length %s", link, head.Code, head.Body.Len(), head.Header().Get("Content-Length"))
		}
		old := docsPath + "/000000000000" + link[strings.LastIndexByte(link, '/'):]
		if got := docsAnswer(t, f, "GET", old).Code; got != http.StatusNotFound {
			t.Errorf("%s: %d, want 404: it may be kept for good", old, got)
		}
	}
	if n < 3 {
		t.Errorf("the page has %d files", n)
	}
}

func unzip(t *testing.T, data []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// TestDocsClientDocument: the document for generators of clients is below the page, in the
// language of the root, with a validator.
func TestDocsClientDocument(t *testing.T) {
	f := docsFacade(facadetest.PublicURL, english(), i18n.Language{Code: "de", Root: "/de/wp-json"})
	target := "/de" + docsPath + "/" + docs.ClientFile
	got := docsAnswer(t, f, "GET", target)
	want := openapi.ClientDocument(facadetest.PublicURL+"/de/wp-json/"+mapping.Namespace, "de", i18n.Catalog("de"), false)
	if got.Code != http.StatusOK || !bytes.Equal(got.Body.Bytes(), want) {
		t.Errorf("%d, %d bytes, want the %d that the command prints", got.Code, got.Body.Len(), len(want))
	}
	if kind, language := got.Header().Get("Content-Type"), got.Header().Get("Content-Language"); !strings.HasPrefix(kind,
		"application/json") || language != "de" {
		t.Errorf("%s in %s", kind, language)
	}
	packed := docsAnswer(t, f, "GET", target, "Accept-Encoding: gzip")
	if !bytes.Equal(unzip(t, packed.Body.Bytes()), want) {
		t.Error("compressed it is another one")
	}
	again := docsAnswer(t, f, "GET", target, "If-None-Match: "+got.Header().Get("Etag"))
	if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("with its validator: %d and %d bytes", again.Code, again.Body.Len())
	}
	if wrong := docsAnswer(t, f, "POST", target); wrong.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", wrong.Code)
	}
}

func TestDocsOff(t *testing.T) {
	f := proxy.New(proxy.Options{PublicURL: facadetest.PublicURL, Site: i18n.Languages{english()}})
	want := docsAnswer(t, f, "GET", "/wp-json/"+mapping.Namespace+"/nope")
	for _, path := range []string{docsPath, docsPath + "/", docsPath + "/0/page.js", docsPath + "/" + docs.ClientFile} {
		got := docsAnswer(t, f, "GET", path)
		if got.Code != http.StatusNotFound || got.Body.String() != want.Body.String() {
			t.Errorf("%s: %d %s, want that of any unknown path", path, got.Code, got.Body)
		}
	}
}
