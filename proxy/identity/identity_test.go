package identity_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/identity"
)

func TestOf(t *testing.T) {
	for name, test := range map[string]struct {
		target  string
		header  http.Header
		cookies bool
		want    identity.Identity
	}{
		"none":          {"/", nil, true, identity.Identity{}},
		"authorization": {"/", http.Header{"Authorization": {"Basic YTph"}}, false, identity.Identity{Authorization: "Basic YTph"}},
		"cookies off": {"/?_wpnonce=q", http.Header{"Cookie": {"wordpress_sec_x=1"}, "X-Wp-Nonce": {"h"}}, false,
			identity.Identity{}},
		"login cookies alone": {"/", http.Header{"Cookie": {"theme=dark; wordpress_sec_x=1; wordpress_logged_in_x=2"}}, true,
			identity.Identity{Cookie: "wordpress_sec_x=1; wordpress_logged_in_x=2"}},
		"nonce in the query":   {"/?_wpnonce=q", nil, true, identity.Identity{Nonce: "q"}},
		"nonce in the header":  {"/?_wpnonce=q", http.Header{"X-Wp-Nonce": {"h"}}, true, identity.Identity{Nonce: "h"}},
		"cookie of WordPress":  {"/", http.Header{"Cookie": {"wordpress_test_cookie=1"}}, true, identity.Identity{}},
		"prefix in the middle": {"/", http.Header{"Cookie": {"x_wordpress_sec_=1"}}, true, identity.Identity{}},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", test.target, nil)
		r.Header = test.header
		got := identity.Of(r, test.cookies)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		if got.Anonymous() != (test.want == identity.Identity{}) {
			t.Errorf("%s: Anonymous is %t", name, got.Anonymous())
		}
	}
}

func TestSetHeader(t *testing.T) {
	h := http.Header{}
	identity.Identity{Authorization: "a", Nonce: "n"}.SetHeader(h)
	if diff := cmp.Diff(http.Header{"Authorization": {"a"}, "X-Wp-Nonce": {"n"}}, h); diff != "" {
		t.Error(diff)
	}
}

// TestMaySignIn: it never misses a login.
func TestMaySignIn(t *testing.T) {
	for value, want := range map[string]bool{
		"":                             false,
		"theme=dark":                   false,
		"wordpress_test_cookie=1":      false,
		"wordpress_logged_in_x=2":      true,
		"a=b;wordpress_sec_x=1; c=d":   true,
		"a=wordpress_logged_in_x":      true, // not one, which is all right
		"Wordpress_logged_in_x=2; a=b": false,
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.Header.Set("Cookie", value)
		if got := identity.MaySignIn([]byte(value)); got != want || !got && !identity.Of(r, true).Anonymous() {
			t.Errorf("%q: %t, and the credentials are %+v", value, got, identity.Of(r, true))
		}
	}
}
