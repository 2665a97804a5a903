package probe_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/calfacade/calfacade/proxy/probe"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// TestDiscoverCredentials: credentials are sent to the scheme, host and port of the URL alone. Where the site leads
// elsewhere, the other origin is named, and gets no request at all.
func TestDiscoverCredentials(t *testing.T) {
	var called atomic.Int32
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called.Add(1)
		w.Header().Set("Link", "<http://"+r.Host+`/wp-json/>; rel="https://api.w.org/"`)
	}))
	defer foreign.Close() // at another port of the same host, to which net/http sends Authorization after a redirect
	for _, test := range []struct{ name, location, link, body, err, note string }{
		{name: "a redirect", location: "OTHER/", err: "SITE/ redirects to OTHER/"},
		{name: "a link of the header", link: "OTHER/wp-json/", err: "SITE/ has its REST root at OTHER/wp-json"},
		{name: "a link of the head", body: `<link rel="https://api.w.org/" href="OTHER/wp-json/">`,
			err: "SITE/ has its REST root at OTHER/wp-json"},
		{name: "an index with another start page", body: `{"namespaces":[],"home":"OTHER"}`,
			note: "the site calls itself OTHER; calls go to SITE"},
		{name: "a translation", link: "SITE/wp-json/", body: `<html lang=en><link rel=alternate hreflang=es href="OTHER/es/">`,
			note: "the language es is left out: OTHER/es/, which is of another origin"},
		{name: "a scheme", link: "SITES/wp-json/", err: "SITE/ has its REST root at SITES/wp-json"},
	} {
		t.Run(test.name, func(t *testing.T) {
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if user, password, _ := r.BasicAuth(); user != "u" || password != "p:q" {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				expand := strings.NewReplacer("SITES", "https://"+r.Host, "SITE", "http://"+r.Host, "OTHER", foreign.URL).Replace
				if test.location != "" {
					w.Header().Set("Location", expand(test.location))
					w.WriteHeader(http.StatusFound)
					return
				}
				if test.link != "" {
					w.Header().Set("Link", "<"+expand(test.link)+`>; rel="https://api.w.org/"`)
				}
				_, _ = fmt.Fprint(w, expand(test.body))
			}))
			defer site.Close()
			discovery, err := probe.Discover(t.Context(), probe.SiteOptions{URL: site.URL + "/", Access: basicAuth("u:p:q")})
			replace := strings.NewReplacer("https"+strings.TrimPrefix(site.URL, "http"), "SITES", site.URL, "SITE", foreign.URL, "OTHER").Replace
			message := replace(fmt.Sprint(err))
			if (err == nil) != (test.err == "") || !strings.Contains(message, test.err) {
				t.Errorf("error %s, want %q", message, test.err)
			}
			if notes := replace(strings.Join(discovery.Notes, "\n")); !strings.Contains(notes, test.note) {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
			if n := called.Load(); n > 0 {
				t.Errorf("%d requests to the other origin", n)
			}
		})
	}
}

// basicAuth returns the access to a site behind HTTP Basic.
func basicAuth(credentials string) upstream.AccessOptions {
	return upstream.AccessOptions{Header: http.Header{
		"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(credentials))},
	}}
}
