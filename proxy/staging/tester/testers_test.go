package tester_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/staging/tester"
)

func TestOf(t *testing.T) {
	token := tester.NewKey(secret).Sign(pass())
	bob := tester.NewKey(secret).Sign(tester.Pass{Name: "bob", Expires: now.Add(time.Hour)})
	old := tester.NewKey(secret).Sign(tester.Pass{Name: "bob", Expires: now})
	field := func(values ...string) http.Header { return http.Header{tester.Field: values} }
	cookie := func(lines ...string) http.Header { return http.Header{"Cookie": lines} }
	for name, test := range map[string]struct {
		header   http.Header
		noCookie bool
		want     tester.Result
	}{
		"none":                        {http.Header{}, false, tester.None},
		"a field":                     {field(token), false, tester.Candidate},
		"two fields":                  {field(token, token), false, tester.Malformed},
		"an empty field":              {field(""), false, tester.Malformed},
		"garbage":                     {field("x"), false, tester.Malformed},
		"of another key":              {field(tester.NewKey("another " + secret).Sign(pass())), false, tester.Forged},
		"expired":                     {field(old), false, tester.Expired},
		"revoked":                     {field(bob), false, tester.Revoked},
		"a cookie":                    {cookie("calfacade-tester=" + token), false, tester.Candidate},
		"a cookie among others":       {cookie("a=b; calfacade-tester=" + token + "; c=\"d"), false, tester.Candidate},
		"a cookie in another line":    {cookie("a=b", "calfacade-tester="+token), false, tester.Candidate},
		"cookies are off":             {cookie("calfacade-tester=" + token), true, tester.None},
		"a field, and cookies off":    {field(token), true, tester.Candidate},
		"a bad cookie":                {cookie("calfacade-tester=x"), false, tester.Malformed},
		"an empty cookie":             {cookie("calfacade-tester="), false, tester.Malformed},
		"a revoked cookie":            {cookie("calfacade-tester=" + bob), false, tester.Revoked},
		"the field precedes":          {http.Header{tester.Field: {token}, "Cookie": {"calfacade-tester=" + bob}}, false, tester.Candidate},
		"the field precedes, bad":     {http.Header{tester.Field: {"x"}, "Cookie": {"calfacade-tester=" + token}}, false, tester.Malformed},
		"the cookie of a longer path": {cookie("calfacade-tester=" + token + "; calfacade-tester=" + bob), false, tester.Candidate},
		"a similar cookie":            {cookie("my_calfacade-tester=" + token), false, tester.None},
	} {
		testers := tester.New(tester.Options{Key: secret, Cookie: !test.noCookie, Revoked: []string{"bob"}}, nil)
		p, got := testers.Of(test.header, now)
		if got != test.want || (got == tester.Candidate) != (p.Name == pass().Name) {
			t.Errorf("%s: %v, %q, want %q", name, p, got, test.want)
		}
	}
	none := tester.New(tester.Options{Cookie: true}, nil)
	if p, got := none.Of(field(token), now); none != nil || got != tester.None || p.Name != "" || none.Vary() != nil {
		t.Errorf("without a key: %v, %q", p, got)
	}
}

func TestCovers(t *testing.T) {
	for _, test := range []struct {
		pass               tester.Pass
		resource, language string
		want               bool
	}{
		{tester.Pass{}, "events", "en", true},
		{pass(), "events", "es", true},
		{pass(), "venues", "es", false},
		{pass(), "events", "de", false},
		{tester.Pass{Languages: []string{"de"}}, "tags", "de", true},
	} {
		if got := test.pass.Covers(test.resource, test.language); got != test.want {
			t.Errorf("%+v, %s in %s: %t", test.pass, test.resource, test.language, got)
		}
	}
}

// TestCookies: the cookie is for the roots alone, for https and not for scripts, and is
// deleted as it was set.
func TestCookies(t *testing.T) {
	testers := tester.New(tester.Options{Key: secret, Cookie: true}, []tester.Root{{}, {Public: "/es/wp-json"}, {Public: "/es/wp-json"}})
	want := []string{
		"calfacade-tester=token; Path=/; Max-Age=3600; HttpOnly; Secure; SameSite=Lax",
		"calfacade-tester=token; Path=/es/wp-json; Max-Age=3600; HttpOnly; Secure; SameSite=Lax",
	}
	if diff := cmp.Diff(want, testers.SetCookie("token", pass(), now)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	want = []string{
		"calfacade-tester=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax",
		"calfacade-tester=; Path=/es/wp-json; Max-Age=0; HttpOnly; Secure; SameSite=Lax",
	}
	if diff := cmp.Diff(want, testers.ClearCookie()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := tester.New(tester.Options{Key: secret}, []tester.Root{{}}).ClearCookie(); got != nil {
		t.Errorf("cookies are off: %s", got)
	}
}
