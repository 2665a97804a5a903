package admin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestStatusRequiresToken(t *testing.T) {
	o := newOperator(t)
	for path, location := range map[string]string{"/": "status/", "/status": "status/", "/status/": "sign-in",
		"/status/confirm?do=purge-all": "sign-in"} {
		if w := o.request(path, nil); w.Code != http.StatusSeeOther || w.Header().Get("Location") != location || w.Body.Len() > 0 {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
	end := strings.SplitAfter(o.signIn().Value, ".")[0]
	for _, forged := range []string{"", "made-up", end, strings.Replace(o.cookie, end, "9"+end, 1), o.cookie + "0"} {
		o.cookie = "calfacade_session=" + strings.TrimPrefix(forged, "calfacade_session=")
		if w := o.request("/status/", nil); w.Code != http.StatusSeeOther {
			t.Errorf("the session %q: %d", forged, w.Code)
		}
		if w := o.request("/status/sign-out", url.Values{}); w.Code != http.StatusSeeOther || len(w.Result().Cookies()) > 0 {
			t.Errorf("signed out without a session: %v", w.Header())
		}
	}
}

func TestStatusSession(t *testing.T) {
	o := newOperator(t)
	cookie := o.signIn()
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Secure || cookie.Path != "" ||
		cookie.MaxAge != 8*60*60 || len(cookie.Value) < 26 {
		t.Errorf("the cookie is %+v", cookie)
	}
	tls := o.request("/status/sign-in", url.Values{"token": {adminToken}},
		func(r *http.Request) { r.Host = "a.example"; r.Header.Set("Origin", "https://a.example") })
	if c := tls.Result().Cookies(); len(c) != 1 || !c[0].Secure {
		t.Errorf("over TLS the cookie is %v", c)
	}
	signedIn := func() bool { return o.request("/status/", nil).Code == http.StatusOK }
	o.now = o.now.Add(8*time.Hour - time.Second)
	if !signedIn() {
		t.Error("the session expires too early")
	}
	o.now = o.now.Add(time.Second)
	if signedIn() {
		t.Error("the session does not expire")
	}
	o.signIn()
	o.request("/status/sign-out", url.Values{}, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
	if !signedIn() {
		t.Error("signed out by a form of another site")
	}
	w := o.request("/status/sign-out", url.Values{})
	if signedIn() || w.Result().Cookies()[0].MaxAge >= 0 {
		t.Errorf("not signed out: %v", w.Header())
	}
	o.signIn()
	o.options.Token = "another token of many"
	if signedIn() {
		t.Error("the session outlives the token that started it")
	}
}

func TestStatusAttempts(t *testing.T) {
	o := newOperator(t)
	try := func(remote, token string) int {
		o.remote = remote
		return o.request("/status/sign-in", url.Values{"token": {token}}).Code
	}
	for range 10 {
		if got := try("[2001:db8::1]:9", "wrong"); got != http.StatusForbidden {
			t.Fatalf("a wrong token: %d", got)
		}
	}
	for remote, want := range map[string]int{
		"[2001:db8::1]:10": http.StatusTooManyRequests, "[2001:db8::2]:9": http.StatusTooManyRequests,
		"[2001:db8:0:1::1]:9": http.StatusSeeOther, "192.0.2.1:9": http.StatusSeeOther,
	} {
		if got := try(remote, adminToken); got != want {
			t.Errorf("%s: %d, want %d", remote, got, want)
		}
	}
	o.now = o.now.Add(time.Minute)
	if got := try("[2001:db8::1]:9", adminToken); got != http.StatusSeeOther {
		t.Errorf("a minute later: %d", got)
	}
}

// TestStatusRefuses: a form that the page did not send has no effect.
func TestStatusRefuses(t *testing.T) {
	o := newOperator(t)
	o.signIn()
	form := url.Values{"do": {"purge-all"}}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for name, test := range map[string]struct {
		form   url.Values
		change func(*http.Request)
		want   int
	}{
		"no session":     {form, header("Cookie", ""), http.StatusSeeOther},
		"cross-site":     {form, header("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		"same site":      {form, header("Sec-Fetch-Site", "same-site"), http.StatusForbidden},
		"another origin": {form, header("Origin", "http://localhost:8080"), http.StatusForbidden},
		"no action":      {url.Values{"do": {"x"}}, header("X", "y"), http.StatusBadRequest},
		"no item":        {url.Values{"do": {"purge-item"}}, header("X", "y"), http.StatusBadRequest},
		"no kind":        {url.Values{"do": {"purge-item"}, "item": {"12"}}, header("X", "y"), http.StatusBadRequest},
		"a slug": {url.Values{"do": {"purge-item"}, "kind": {"event"}, "item": {"https://a.example/events/by-slug/x"}},
			header("X", "y"), http.StatusBadRequest},
		"too large": {url.Values{"do": {"purge-all"}, "x": {strings.Repeat("x", 33<<10)}},
			header("X", "y"), http.StatusBadRequest},
	} {
		if w := o.request("/status/do", test.form, test.change); w.Code != test.want {
			t.Errorf("%s: %d, want %d: %s", name, w.Code, test.want, w.Body)
		}
		if w := o.request("/status/sign-in", url.Values{"token": {adminToken}},
			header("Sec-Fetch-Site", "cross-site")); w.Code != http.StatusForbidden {
			t.Errorf("signed in from elsewhere: %d", w.Code)
		}
	}
	if strings.Contains(o.log.String(), `"msg":"purge"`) || o.facade.ReadOnly() {
		t.Errorf("a refused form had an effect: %s", o.log.String())
	}
	if w := o.request("/status/do", form, header("Sec-Fetch-Site", "same-origin")); w.Code != http.StatusSeeOther {
		t.Errorf("the page's own form: %d", w.Code)
	}
}

// TestStatusWithoutToken: the page is served to this machine alone, under its local
// names, and has no buttons.
func TestStatusWithoutToken(t *testing.T) {
	o := newOperator(t)
	o.options.Token = ""
	for _, test := range []struct {
		remote, host string
		want         int
	}{
		{"127.0.0.1:9", "127.0.0.1:9090", 200}, {"[::1]:9", "[::1]", 200}, {"127.0.0.1:9", "localhost", 200},
		{"192.0.2.1:9", "localhost", 403}, {"127.0.0.1:9", "evil.example:9090", 403}, {"127.0.0.1:9", "localhost.evil.example",
			403}, {"", "", 403},
	} {
		o.remote = test.remote
		o.host = test.host
		w := o.request("/status/", nil)
		if w.Code != test.want || strings.Contains(w.Body.String(), "<form") {
			t.Errorf("%+v: %d %s", test, w.Code, w.Body)
		}
	}
	o.remote = "127.0.0.1:9"
	o.host = "localhost"
	for path, form := range map[string]url.Values{
		"/status/do": {"do": {"purge-all"}}, "/status/sign-in": {"token": {""}}, "/status/confirm?do=purge-all": nil,
	} {
		if w := o.request(path, form); w.Code != http.StatusForbidden {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
