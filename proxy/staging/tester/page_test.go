package tester_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy/staging/tester"
)

const page = "/wp-json/calendar/events/v1/tester"

const germanPage = "/de/wp-json/calendar/events/v1/tester"

// visit sends a request to the page as a browser does, and returns the response.
func visit(method, cookie string, form url.Values, header ...string) (*http.Response, string) {
	return visitAt(page, method, cookie, form, header...)
}

// visitAt is visit for the page of another root.
func visitAt(path, method, cookie string, form url.Values, header ...string) (*http.Response, string) {
	t := tester.New(tester.Options{Key: secret, Cookie: true, Revoked: []string{"bob"}}, []tester.Root{{Public: "/a/wp-json", Page: page, Language: "en"}, {Public: "/a/wp-json", Page: germanPage, Language: "de"}})
	r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
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
		"nobody":                {method: "GET", status: 200, has: `id="token"`},
		"a tester":              {method: "GET", cookie: token, status: 200, has: `id="pass"`},
		"an expired cookie":     {method: "GET", cookie: tester.NewKey(secret).Sign(tester.Pass{Name: "a", Expires: now}), status: 200, setCookie: cleared, has: `id="refused"`},
		"start":                 {method: "POST", form: start(" " + token + "\n"), status: 303, setCookie: tester.Cookie + "=" + token + set},
		"start with garbage":    {method: "POST", form: start("x"), status: 403, has: `id="refused"`},
		"start with an old one": {method: "POST", form: start(signed(secret, "anna", 0)), status: 403, has: `id="refused"`},
		"start, revoked":        {method: "POST", form: start(signed(secret, "bob", time.Hour)), status: 403, has: `id="refused"`},
		"start, forged":         {method: "POST", form: start(signed("another "+secret, "anna", time.Hour)), status: 403, has: `id="refused"`},
		"a revoked cookie":      {method: "GET", cookie: signed(secret, "bob", time.Hour), status: 200, setCookie: cleared, has: `id="refused"`},
		"a forged cookie":       {method: "GET", cookie: signed("another "+secret, "anna", time.Hour), status: 200, setCookie: cleared, has: `id="refused"`},
		"again, elsewhere":      {method: "POST", cookie: token, form: start(token), status: 303, setCookie: tester.Cookie + "=" + token + set},
		"stop":                  {method: "POST", cookie: token, form: url.Values{"do": {"stop"}}, status: 303, setCookie: cleared},
		"of another origin":     {method: "POST", form: start(token), header: "Sec-Fetch-Site: cross-site", status: 403},
		"of an older browser":   {method: "POST", form: start(token), header: "Origin: https://evil.example", status: 403},
		"of this page":          {method: "POST", form: start(token), header: "Sec-Fetch-Site: same-origin", status: 303, setCookie: tester.Cookie + "=" + token + set},
		"too long":              {method: "POST", form: start(strings.Repeat("a", 5000)), status: 400},
		"another method":        {method: "PUT", status: 405},
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
		if (test.cookie != token || test.setCookie != "") && strings.Contains(body, "backend new") {
			t.Errorf("%s: the page names the backend", name)
		}
	}
}

// signed returns a token that expires after a time.
func signed(key, name string, life time.Duration) string {
	return tester.NewKey(key).Sign(tester.Pass{Name: name, Expires: now.Add(life)})
}

// TestPageHasTheLanguageOfItsRoot: the texts of the page, whatever the browser prefers.
func TestPageHasTheLanguageOfItsRoot(t *testing.T) {
	all := tester.Pass{Name: "anna", Expires: now.Add(time.Hour), Writes: true}
	for _, test := range []struct{ path, language, want string }{
		{page, "en", "You are anna. Until 2026-05-04 13:00:00 UTC the backend new serves what this browser reads and changes: all resources in all languages."},
		{germanPage, "de", "Sie sind anna. Bis 2026-05-04 13:00:00 UTC bedient das Backend new, was dieser Browser liest und ändert: alle Ressourcen in allen Sprachen."},
	} {
		res, body := visitAt(test.path, "GET", tester.NewKey(secret).Sign(all), nil, "Accept-Language: fr")
		if !strings.Contains(body, `<html lang="`+test.language+`">`) || !strings.Contains(body, `<p id="pass">`+test.want+"</p>") || res.Header.Get("Content-Language") != test.language {
			t.Errorf("%s: %v %s", test.path, res.Header, body)
		}
	}
}

// TestCookieNeedsTLS: a browser sends the cookie over https alone, to the roots alone, and until the
// token expires.
func TestCookieNeedsTLS(t *testing.T) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) *url.URL {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	res, _ := visit("POST", "", url.Values{"do": {"start"}, "token": {tester.NewKey(secret).Sign(pass())}})
	jar.SetCookies(at("https://example.org"+page), res.Cookies())
	for text, want := range map[string]int{
		"https://example.org/a/wp-json/calendar/events/v1/events": 1, "http://example.org/a/wp-json/calendar/events/v1/events": 0,
		"https://example.org/": 0, "https://example.org/a/wp-json-2": 0, "https://www.example.org/a/wp-json": 0,
	} {
		if got := jar.Cookies(at(text)); len(got) != want {
			t.Errorf("%s gets %v", text, got)
		}
	}
	res, _ = visit("POST", "", url.Values{"do": {"stop"}})
	jar.SetCookies(at("https://example.org"+page), res.Cookies())
	if got := jar.Cookies(at("https://example.org/a/wp-json/")); len(got) > 0 {
		t.Errorf("after the test: %v", got)
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
