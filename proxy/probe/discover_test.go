package probe_test

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/probe"
	"github.com/calfacade/calfacade/proxy/upstream"
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
		notes string // the beginning of the first; "" without notes
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
		{"a page whose translations list it with another language than its own", map[string]string{
			"/": header("/wp-json/") + "\n\n" + `<html lang="es-ES"><link rel=alternate hreflang=en href=SITE>` +
				`<link rel=alternate hreflang=es href=/es/>`,
			"/es/": header("/es/wp-json/") + "\n\n<html lang=es-ES>",
		}, "en /wp-json, es /es/wp-json", "", ""},
		{"a page that is listed for the first and the last language", map[string]string{
			"/": header("/wp-json/") + "\n\n" + `<html lang=de><link rel=alternate hreflang=en href=/><link rel=alternate hreflang=de href=/>`,
		}, "de /wp-json, en /wp-json", "", ""},
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
		{"a site that is no WordPress, and speaks the neutral namespace", map[string]string{
			"/api/wp-json/calendar/events/v1": "Content-Language: de\n" + `{"namespace":"calendar/events/v1","routes":{}}`,
			"/":                               "Location: /api/\n\n",
			"/api/":                           "\n<html lang=en>",
		}, "de /api/wp-json", "only one language was looked for", ""},
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
			discovery, err := probe.Discover(t.Context(), probe.SiteOptions{URL: site.URL + "/"})
			if test.err != "" || err != nil {
				if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), site.URL, "SITE"), test.err) || test.err == "" {
					t.Fatalf("error %v, want %q", err, test.err)
				}
				return
			}
			var roots []string
			for _, r := range discovery.Roots {
				roots = append(roots, r.Code+" "+strings.TrimPrefix(r.Upstream, site.URL))
			}
			if diff := cmp.Diff(test.roots, strings.Join(roots, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			note := strings.ReplaceAll(strings.Join(discovery.Notes, "\n"), site.URL, "SITE")
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
	cas := x509.NewCertPool()
	cas.AddCert(site.Certificate())
	discovery, err := probe.Discover(t.Context(), probe.SiteOptions{URL: site.URL, Access: upstream.AccessOptions{CAs: cas}})
	if err != nil || discovery.Roots[0].Upstream != site.URL+"/wp-json" {
		t.Errorf("%v %v", discovery, err)
	}
}

// TestDiscoverForwarded: a site that insists on https, at an internal address without TLS, is read as the proxy in
// front of it reads it.
func TestDiscoverForwarded(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := "https://" + r.Host
		switch {
		case r.Header.Get("X-Forwarded-Proto") != "https":
			http.Redirect(w, r, origin+r.URL.Path, http.StatusMovedPermanently)
		case r.URL.Path == "/":
			http.Redirect(w, r, origin+"/en/", http.StatusFound)
		case r.URL.Path == "/en/":
			w.Header().Set("Link", "<"+origin+`/en/wp-json/>; rel="https://api.w.org/"`)
			_, _ = fmt.Fprintf(w, `<html lang=en><link rel=alternate hreflang=fr href="%s/fr/">`, origin)
		case r.URL.Path == "/en/wp-json/":
			_, _ = fmt.Fprint(w, `{"namespaces":[]}`)
		default:
			w.Header().Set("Link", "<"+origin+r.URL.Path+`wp-json/>; rel="https://api.w.org/"`)
		}
	}))
	defer site.Close()
	for _, access := range []upstream.AccessOptions{{}, basicAuth("u:p")} {
		discovery, err := probe.Discover(t.Context(), probe.SiteOptions{URL: site.URL, Access: access})
		if err != nil {
			t.Fatal(err)
		}
		want := probe.Discovered{
			Roots: i18n.Languages{
				{Code: "en", Root: "/en/wp-json", Upstream: site.URL + "/en/wp-json"},
				{Code: "fr", Root: "/fr/wp-json", Upstream: site.URL + "/fr/wp-json"},
			},
			Settings: []probe.Setting{{Key: "upstream.headers", Value: "X-Forwarded-Proto: https"}},
			Notes:    []string{"the site calls itself https" + strings.TrimPrefix(site.URL, "http") + "; calls go to " + site.URL},
		}
		if diff := cmp.Diff(want, discovery); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// pages serves pages: a page with Location is a redirect, one with Www-Authenticate requires credentials.
func pages(t *testing.T, bodies map[string]string) *httptest.Server {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := bodies[r.URL.RequestURI()]
		if !ok {
			http.NotFound(w, r)
			return
		}
		head, body, _ := strings.Cut(strings.ReplaceAll(text, "SITE", "http://"+r.Host), "\n")
		status := http.StatusOK
		if name, value, ok := strings.Cut(head, ": "); ok {
			w.Header().Set(name, value)
			status = map[string]int{
				"Location":         http.StatusFound,
				"Www-Authenticate": http.StatusUnauthorized,
				"Link":             status,
				"Content-Language": status,
			}[name]
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(site.Close)
	return site
}
