//go:build !race

package tester_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/browsertest"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/tester"
)

// TestPageInABrowser follows the link of a tester in Chromium: the candidate serves what the
// browser reads until the test is stopped.
func TestPageInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	site := func(title string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"id":5,"title":%q}`, title)
		}))
		t.Cleanup(s.Close)
		return s.URL + "/wp-json"
	}
	f := proxy.New(proxy.Options{
		PublicURL: "https://api.example.org", Site: i18n.Site{{Code: "en", Root: "/wp-json", Upstream: site("old")}},
		Legacy:   proxy.LegacyOptions{Namespace: "tribe/events/v1"},
		Backends: []proxy.BackendOptions{{Name: "new", Dialect: mapping.Backend{Dialect: mapping.Neutral}, Upstreams: map[string]string{"en": site("new")}}},
		Staging: proxy.StagingOptions{Candidate: "new", Matrix: staging.NewMatrix(time.Now, nil),
			Testers: tester.Options{Key: secret, Cookie: true}},
	})
	t.Cleanup(f.Close)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/favicon.ico" { // browsers look for it beside JSON
			f.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(front.Close)
	p := b.Tab(t, front.URL)
	read := func() string { // in the address bar: the page itself may call nothing
		p.Open(front.URL + "/wp-json/calendar/events/v1/events/5")
		return p.Text("body")
	}
	if got := read(); !strings.Contains(got, "old") {
		p.Errorf("before: %s", got)
	}
	token := tester.NewKey(secret).Sign(tester.Pass{Name: "anna", Expires: time.Now().Add(time.Hour), Languages: []string{"en"}})
	p.Open(front.URL+page+"#"+token, "#start")
	if got := p.Eval(`location.hash + document.getElementById("token").value.length`); got != fmt.Sprint(len(token)) {
		p.Errorf("the address bar and the field have %s", got)
	}
	p.Press("#start")
	p.Visible("#pass")
	if got := p.Text("#pass"); !strings.HasPrefix(got, "You are anna. Until ") || !strings.HasSuffix(got, "the backend new serves what this browser reads: all resources in en. Changes are refused.") {
		p.Errorf("the page says %q", got)
	}
	if got := read() + p.Eval("document.cookie"); !strings.Contains(got, "new") || strings.Contains(got, "calfacade") {
		p.Errorf("as a tester: %s", got)
	}
	p.Open(front.URL+page, "#stop")
	p.Accessible("tester")
	p.Phone()
	p.FitsPhone("the page of testers")
	p.Press("#stop")
	p.Absent("#stop")
	if got := read(); !strings.Contains(got, "old") {
		p.Errorf("afterwards: %s", got)
	}
}
