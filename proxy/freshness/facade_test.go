package freshness_test

import (
	"net/http"
	"testing"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// TestIgnoredCookies: an answer is shared if all cookies that come with it are to be
// ignored, and no client sees one.
func TestIgnoredCookies(t *testing.T) {
	ignored := []string{"PHPSESSID", "__cf_bm", "nlbi_*"}
	for _, test := range []struct {
		ignored, cookies []string
		shared           bool
	}{
		{ignored, []string{"PHPSESSID=a1b2; path=/; HttpOnly"}, true},
		{ignored, []string{"__cf_bm=x; path=/", " PHPSESSID = y", "nlbi_123=z"}, true},
		{ignored, []string{"PHPSESSID=a1b2", "cart=1"}, false},
		{ignored, []string{"PHPSESSID2=a1b2"}, false},
		{ignored, []string{"phpsessid=a1b2"}, false}, // names of cookies have a case
		{ignored, []string{""}, false},
		{ignored, []string{"theme=PHPSESSID=1"}, false},
		{nil, []string{"PHPSESSID=a1b2"}, false},
		{[]string{"*"}, []string{"cart=1"}, true},
		{[]string{"*"}, []string{"wordpress_logged_in_0af=admin"}, false},
		{[]string{"*"}, []string{"cart=1", "wordpress_sec_0af=admin"}, false},
	} {
		f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Freshness.IgnoreCookies = test.ignored })
		f.Answers(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Set-Cookie"] = test.cookies
			proxytest.WriteItem(w, `{"id":5}`)
		})
		f.WantShared(test.shared, "%q ignored, %q set", test.ignored, test.cookies)
	}
}

// TestOverrideNoStore: no-store and private of the site count, unless they are overridden. A
// login is never shared.
func TestOverrideNoStore(t *testing.T) {
	for _, test := range []struct {
		headers     freshness.SiteHeaders
		name, value string
		shared      bool
	}{
		{"limit", "Cache-Control", "no-store, no-cache, must-revalidate", false},
		{freshness.Ignore, "Cache-Control", "no-store, no-cache, must-revalidate", true},
		{freshness.Ignore, "Cache-Control", "private, max-age=0", true},
		{freshness.Ignore, "Set-Cookie", "cart=1", false},
		{freshness.Ignore, "Set-Cookie", "wordpress_logged_in_0af=admin", false},
	} {
		f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Freshness.SiteHeaders = test.headers })
		f.Answers(facadetest.WithHeader(facadetest.Answer(200, `{"id":5}`), test.name, test.value))
		f.WantShared(test.shared, "%s, %s: %s", test.headers, test.name, test.value)
	}
}

// TestOverrideNoStoreIsForAnonymousReads: responses to credentials are not shared.
func TestOverrideNoStoreIsForAnonymousReads(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Freshness.SiteHeaders = freshness.Ignore })
	f.Answers(facadetest.WithHeader(facadetest.Answer(200, `{"id":5}`), "Cache-Control", "no-store, private"))
	for range 2 {
		f.Want("GET /events/5", "200 fwd=bypass calls 1", "Authorization: Basic YTpi")
		f.Want("GET /events/5?password=p", "200 fwd=bypass calls 1")
	}
	res, _ := f.Send("GET /events/5", "Authorization: Basic YTpi")
	if got := res.Header.Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("Cache-Control %s", got)
	}
}
