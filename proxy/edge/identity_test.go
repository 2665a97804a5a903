package edge_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/edge"
)

func TestIdentityOf(t *testing.T) {
	for name, test := range map[string]struct {
		target  string
		header  http.Header
		cookies bool
		want    edge.Identity
	}{
		"none":          {"/", nil, true, edge.Identity{}},
		"authorization": {"/", http.Header{"Authorization": {"Basic YTph"}}, false, edge.Identity{Authorization: "Basic YTph"}},
		"cookies off": {"/?_wpnonce=q", http.Header{"Cookie": {"wordpress_sec_x=1"}, "X-Wp-Nonce": {"h"}}, false,
			edge.Identity{}},
		"login cookies alone": {"/", http.Header{"Cookie": {"theme=dark; wordpress_sec_x=1; wordpress_logged_in_x=2"}}, true,
			edge.Identity{Cookie: "wordpress_sec_x=1; wordpress_logged_in_x=2"}},
		"nonce in the query":   {"/?_wpnonce=q", nil, true, edge.Identity{Nonce: "q"}},
		"nonce in the header":  {"/?_wpnonce=q", http.Header{"X-Wp-Nonce": {"h"}}, true, edge.Identity{Nonce: "h"}},
		"cookie of WordPress":  {"/", http.Header{"Cookie": {"wordpress_test_cookie=1"}}, true, edge.Identity{}},
		"prefix in the middle": {"/", http.Header{"Cookie": {"x_wordpress_sec_=1"}}, true, edge.Identity{}},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", test.target, nil)
		r.Header = test.header
		got := edge.IdentityOf(r, test.cookies)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		if got.Anonymous() != (test.want == edge.Identity{}) {
			t.Errorf("%s: Anonymous is %t", name, got.Anonymous())
		}
	}
}

func TestSetHeader(t *testing.T) {
	h := http.Header{}
	edge.Identity{Authorization: "a", Nonce: "n"}.SetHeader(h)
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
		if got := edge.MaySignIn([]byte(value)); got != want || !got && !edge.IdentityOf(r, true).Anonymous() {
			t.Errorf("%q: %t, and the credentials are %+v", value, got, edge.IdentityOf(r, true))
		}
	}
}
