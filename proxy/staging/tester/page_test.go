package tester_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/proxy/staging/tester"
)

const page = "/wp-json/calendar/events/v1/tester"

// visit sends a request to the page as a browser does, and returns the response.
func visit(method, cookie string, form url.Values, header ...string) (*http.Response, string) {
	t := tester.New(tester.Options{Key: secret, Cookie: true}, []tester.Root{{Public: "/a/wp-json", Page: page}})
	r := httptest.NewRequest(method, page, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if cookie != "" {
		r.Header.Set("Cookie", tester.Cookie+"="+cookie)
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	t.ServePage(w, r, now, "new")
	return w.Result(), w.Body.String()
}

func TestPage(t *testing.T) {
	token := tester.NewKey(secret).Sign(pass())
	const set = "; Path=/a/wp-json; Max-Age=3600; HttpOnly; Secure; SameSite=Lax"
	const cleared = "calfacade-tester=; Path=/a/wp-json; Max-Age=0; HttpOnly; Secure; SameSite=Lax"
	start := func(token string) url.Values { return url.Values{"do": {"start"}, "token": {token}} }
	for name, test := range map[string]struct {
		method, cookie string
		form           url.Values
		header         string
		status         int
		setCookie      string
		has            string // element of the page
	}{
		"nobody":              {method: "GET", status: 200, has: `id="token"`},
		"a tester":            {method: "GET", cookie: token, status: 200, has: `id="pass"`},
		"an expired cookie":   {method: "GET", cookie: tester.NewKey(secret).Sign(tester.Pass{Name: "a", Expires: now}), status: 200, setCookie: cleared, has: `id="refused"`},
		"start":               {method: "POST", form: start(" " + token + "\n"), status: 303, setCookie: tester.Cookie + "=" + token + set},
		"start with garbage":  {method: "POST", form: start("x"), status: 403, has: `id="refused"`},
		"stop":                {method: "POST", cookie: token, form: url.Values{"do": {"stop"}}, status: 303, setCookie: cleared},
		"of another origin":   {method: "POST", form: start(token), header: "Sec-Fetch-Site: cross-site", status: 403},
		"of an older browser": {method: "POST", form: start(token), header: "Origin: https://evil.example", status: 403},
		"of this page":        {method: "POST", form: start(token), header: "Sec-Fetch-Site: same-origin", status: 303, setCookie: tester.Cookie + "=" + token + set},
		"too long":            {method: "POST", form: start(strings.Repeat("a", 5000)), status: 400},
		"another method":      {method: "PUT", status: 405},
	} {
		res, body := visit(test.method, test.cookie, test.form, test.header)
		if res.StatusCode != test.status || res.Header.Get("Set-Cookie") != test.setCookie || !strings.Contains(body, test.has) {
			t.Errorf("%s: %d, Set-Cookie %q, %s", name, res.StatusCode, res.Header.Get("Set-Cookie"), body)
		}
		if res.StatusCode == http.StatusSeeOther && res.Header.Get("Location") != "tester" {
			t.Errorf("%s: Location %s", name, res.Header.Get("Location"))
		}
		if res.Header.Get("Cache-Control") != "private, no-store" || !strings.Contains(res.Header.Get("Content-Security-Policy"), "form-action 'self'") {
			t.Errorf("%s: %v", name, res.Header)
		}
		if strings.Contains(body, token) {
			t.Errorf("%s: the page has the token", name)
		}
		if (test.cookie != token || test.setCookie != "") && strings.Contains(body, "<strong>new</strong>") {
			t.Errorf("%s: the page names the backend", name)
		}
	}
}

// TestPageKeepsItsPolicy: the policy names the hashes of the style and the script as sent.
func TestPageKeepsItsPolicy(t *testing.T) {
	res, body := visit("GET", "", nil)
	policy := res.Header.Get("Content-Security-Policy")
	for _, element := range []string{"style", "script"} {
		text := regexp.MustCompile("(?s)<" + element + ">(.*)</" + element + ">").FindStringSubmatch(body)
		if text == nil || !strings.Contains(policy, element+"-src "+tester.HashOf(text[1])) {
			t.Errorf("%s: %s has not the hash of %s", element, policy, text)
		}
	}
}

// TestHasPage: the page is at its paths alone, and only where cookies are accepted.
func TestHasPage(t *testing.T) {
	for _, test := range []struct {
		path    string
		options tester.Options
		want    bool
	}{
		{page, tester.Options{Key: secret, Cookie: true}, true},
		{page + "/", tester.Options{Key: secret, Cookie: true}, false},
		{"/tester", tester.Options{Key: secret, Cookie: true}, false},
		{page, tester.Options{Key: secret}, false},
		{page, tester.Options{Cookie: true}, false},
	} {
		got := tester.New(test.options, []tester.Root{{Page: page}}).HasPage(httptest.NewRequest("GET", test.path, nil))
		if got != test.want {
			t.Errorf("%s with %+v: %t", test.path, test.options, got)
		}
	}
}
