package probe_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/probe"
)

// TestDiscover: the REST roots that a site's pages name are found, in each form that recordings show
// (site/*/home-head, plain/fr/home-head, prefix/fr/home-head, translatepress/en/shown-home-head,
// polylang/mixed/plain-root-pretty), and what is not is an error or a note.
func TestDiscover(t *testing.T) {
	const link = `Link: <SITE%s>; rel="https://api.w.org/"`
	header := func(path string) string { return fmt.Sprintf(link, path) }
	for _, test := range []struct {
		name  string
		pages map[string]string // by path and query: lines of header fields, a blank line, and the body
		roots string
		notes string // the beginning of the first; "" for none
		err   string
	}{
		{"one language", map[string]string{"/": header("/wp-json/") + "\n\n" + `<html lang="de-DE">`}, "de /wp-json", "", ""},
		{"in the head", map[string]string{
			"/": "\n" + `<html lang=fr><head><link rel="https://api.w.org/" href="/index.php?rest_route=/" />`,
		}, "fr /index.php?rest_route=", "", ""},
		{"in the body nothing counts", map[string]string{
			"/": "\n" + `<html><head></head><body><link rel="https://api.w.org/" href="/wp-json/">`,
		}, "", "", "/ names no REST root (status 200): give the public URL of the site, or of the root, such as SITE/wp-json"},
		{"another prefix and directory", map[string]string{"/": header("/pre/api/") + "\n\n<html lang=en>"}, "en /pre/api", "", ""},
		{"a redirect to the directory of the language", map[string]string{
			"/":    "Location: /en/\n\n",
			"/en/": header("/en/wp-json/") + "\n\n<html lang=en-GB>",
		}, "en /en/wp-json", "", ""},
		{"translations", map[string]string{
			"/": header("/wp-json/") + "\n\n" + `<html lang="es-MX"><link rel="alternate" hreflang="es-MX" href="/">` +
				`<link rel="alternate" href="/de/" hreflang="de"/><link rel="alternate" href="/at/" hreflang="de-AT"/>` +
				`<link rel="alternate" hreflang="x-default" href="/"><link rel="alternate" hreflang="it" href="/it/">` +
				`<link rel="alternate" type="application/rss+xml" href="/feed/">`,
			"/de/": header("/de/wp-json/") + "\n\n",
		}, "es /wp-json, de /de/wp-json", "", ""},
		{"by parameter", map[string]string{
			"/":         header("/wp-json/?lang=en") + "\n\n" + `<html lang="en"><link rel="alternate" hreflang="fr" href="/?lang=fr">`,
			"/?lang=fr": header("/wp-json/?lang=fr") + "\n\n",
		}, "en /wp-json, fr /wp-json", "", ""},
		{"a translation that is away", map[string]string{
			"/": header("/wp-json/") + "\n\n" + `<html lang="en"><link rel="alternate" hreflang="fr" href="/fr/">`,
		}, "en /wp-json", "the language fr is left out: SITE/fr/ names no REST root (status 404", ""},
		{"a language that this program does not have", map[string]string{"/": header("/wp-json/") + "\n\n<html lang=it-IT>"},
			"en /wp-json", `the start page has the language "it"`, ""},
		{"the URL of a root", map[string]string{
			"/":     "\n" + `{"namespaces": [], "home": "SITE/fr/"}`,
			"/fr/":  header("/fr/wp-json/") + "\n\n<html lang=fr-FR>",
			"/fr/x": "",
		}, "fr /fr/wp-json", "", ""},
		{"the URL of a root without a start page", map[string]string{"/": "\n" + `{"namespaces": [], "home": "SITE/fr/"}`},
			"en ", `the start`, ""},
		{"a site that calls itself by another host, and has its roots here", map[string]string{
			"/": "Link: <https://www.example.org/index.php?rest_route=/>; rel=\"https://api.w.org/\"\n\n" +
				`<html lang=en><link rel=alternate hreflang=fr href=https://www.example.org/fr/>`,
			"/index.php?rest_route=/": "\n" + `{"namespaces": [], "home": "https://www.example.org"}`,
			"/fr/":                    "Link: <https://www.example.org/fr/index.php?rest_route=/>; rel=\"https://api.w.org/\"\n\n",
		}, "en /index.php?rest_route=, fr /fr/index.php?rest_route=", "the site calls itself https://www.example.org; calls go to SITE",
			""},
		{"an index that does not name its start page", map[string]string{
			"/": "Link: <https://www.example.org/index.php?rest_route=/>; rel=\"https://api.w.org/\"\n\n" +
				`<html lang=en>`,
			"/index.php?rest_route=/": "\n" + `{"namespaces": []}`,
		}, "en /index.php?rest_route=", "the site calls itself https://www.example.org; calls go to SITE", ""},
		{"a site whose REST root is at another host alone", map[string]string{
			"/": "Link: <https://cms.example.org/wp-json/>; rel=\"https://api.w.org/\"\n\n<html lang=en>",
		}, "en https://cms.example.org/wp-json", "", ""},
		{"a site that requires credentials", map[string]string{"/": "Www-Authenticate: Basic\n\n"}, "", "",
			"/ names no REST root (status 401: it requires credentials: set CALFACADE_UPSTREAM_BASIC_AUTH to USER:PASSWORD)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			site := pages(t, test.pages)
			found, err := probe.Discover(t.Context(), site.Client(), site.URL+"/", "")
			if test.err != "" || err != nil {
				if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), site.URL, "SITE"), test.err) || test.err == "" {
					t.Fatalf("error %v, want %q", err, test.err)
				}
				return
			}
			var roots []string
			for _, r := range found.Roots {
				roots = append(roots, r.Code+" "+strings.TrimPrefix(r.Upstream, site.URL))
			}
			if diff := cmp.Diff(test.roots, strings.Join(roots, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			note := strings.ReplaceAll(strings.Join(found.Notes, "\n"), site.URL, "SITE")
			if !strings.HasPrefix(note, test.notes) || (note == "") != (test.notes == "") {
				t.Errorf("notes %q, want %q", note, test.notes)
			}
		})
	}
}

// TestDiscoverScheme: a site behind a proxy with its certificate names its roots by http.
func TestDiscoverScheme(t *testing.T) {
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "<http://"+r.Host+`/wp-json/>; rel="https://api.w.org/"`)
	}))
	defer site.Close()
	found, err := probe.Discover(t.Context(), site.Client(), site.URL, "")
	if err != nil || found.Roots[0].Upstream != site.URL+"/wp-json" {
		t.Errorf("%v %v", found, err)
	}
}

// TestDiscoverBasicAuth: credentials are sent to the host of the URL, and to no other.
func TestDiscoverBasicAuth(t *testing.T) {
	var leaked atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked.Store(leaked.Load() || r.Header.Get("Authorization") != "")
		w.Header().Set("Link", "<http://"+r.Host+`/wp-json/>; rel="https://api.w.org/"`)
	}))
	defer other.Close()
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "u" || password != "p:q" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.URL.Path == "/de/" {
			http.Redirect(w, r, elsewhere, http.StatusFound)
			return
		}
		w.Header().Set("Link", "<http://"+r.Host+`/wp-json/>; rel="https://api.w.org/"`)
		_, _ = fmt.Fprintf(w, `<html lang=en><link rel=alternate hreflang=es href=%s><link rel=alternate hreflang=de href=/de/>`, elsewhere)
	}))
	defer site.Close()
	found, err := probe.Discover(t.Context(), http.DefaultClient, site.URL, "u:p:q")
	if err != nil || len(found.Roots) != 3 || leaked.Load() {
		t.Errorf("%v %v, leaked %t", found, err, leaked.Load())
	}
}

// pages serves pages: a page with Location is a redirect, one with Www-Authenticate requires credentials.
func pages(t *testing.T, of map[string]string) *httptest.Server {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := of[r.URL.RequestURI()]
		if !ok {
			http.NotFound(w, r)
			return
		}
		head, body, _ := strings.Cut(strings.ReplaceAll(text, "SITE", "http://"+r.Host), "\n")
		status := http.StatusOK
		if name, value, ok := strings.Cut(head, ": "); ok {
			w.Header().Set(name, value)
			status = map[string]int{"Location": http.StatusFound, "Www-Authenticate": http.StatusUnauthorized, "Link": status}[name]
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(site.Close)
	return site
}
