//go:build !race

package edge_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy/browsertest"
	"github.com/calfacade/calfacade/proxy/edge"
)

// TestCORSInABrowser: a page of another origin sends the fields that libraries add, in Chromium.
func TestCORSInABrowser(t *testing.T) {
	t.Parallel()
	e := edge.New(edge.Options{CORS: edge.CORS{Origins: []string{"*"}}}, func(string) {})
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answered, err := e.Admit(w, r, time.Now()); err != nil || answered {
			return
		}
		_, _ = w.Write([]byte(r.Method))
	}))
	t.Cleanup(api.Close)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><title>page</title><p>page`))
	}))
	t.Cleanup(page.Close)
	p := browsertest.Start(t).Tab(t, page.URL, api.URL)
	p.Open(page.URL, "p")
	got := p.Await(`fetch("` + api.URL + `", {method: "PATCH", headers: {
		"accept": "application/json, " + "text/plain;q=0.9, ".repeat(10) + "*/*",
		"accept-language": "\"de\"", "cache-control": "no-cache", "content-language": "\"de\"", "content-type": "application/json",
		"expires": "0", "pragma": "no-cache", "range": "bytes=0-,5-", "x-requested-with": "XMLHttpRequest",
		}, body: "{}"}).then((r) => r.text(), String)`)
	if got != http.MethodPatch {
		t.Errorf("the page gets %q", got)
	}
}
