package proxy_test

import (
	"net/http"
	"testing"

	"github.com/calfacade/calfacade/proxy"
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
		f := newCachedFacade(t, func(o *proxy.Options) { o.Freshness.IgnoreCookies = test.ignored })
		f.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Set-Cookie"] = test.cookies
			proxytest.WriteItem(w, `{"id":5}`)
		})
		f.wantShared(test.shared, "%q ignored, %q set", test.ignored, test.cookies)
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
		f := newCachedFacade(t, func(o *proxy.Options) { o.Freshness.SiteHeaders = test.headers })
		f.answers(withHeader(answer(200, `{"id":5}`), test.name, test.value))
		f.wantShared(test.shared, "%s, %s: %s", test.headers, test.name, test.value)
	}
}

// TestOverrideNoStoreIsForAnonymousReads: responses to credentials are not shared.
func TestOverrideNoStoreIsForAnonymousReads(t *testing.T) {
	f := newCachedFacade(t, func(o *proxy.Options) { o.Freshness.SiteHeaders = freshness.Ignore })
	f.answers(withHeader(answer(200, `{"id":5}`), "Cache-Control", "no-store, private"))
	for range 2 {
		f.want("GET /events/5", "200 fwd=bypass calls 1", "Authorization: Basic YTpi")
		f.want("GET /events/5?password=p", "200 fwd=bypass calls 1")
	}
	res, _ := f.send("GET /events/5", "Authorization: Basic YTpi")
	if got := res.Header.Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("Cache-Control %s", got)
	}
}

// wantShared sends a request twice, and checks whether the second response is from the
// cache.
func (f *cachedFacade) wantShared(want bool, format string, args ...any) {
	f.t.Helper()
	f.send("GET /events/5")
	calls := f.calls.Load()
	res, _ := f.send("GET /events/5")
	if got := f.calls.Load() == calls; got != want {
		f.t.Errorf(format+": shared %t", append(args, got)...)
	}
	if cookies := res.Header.Values("Set-Cookie"); len(cookies) > 0 {
		f.t.Errorf(format+": the client gets %q", append(args, cookies)...)
	}
}
