package proxy

import (
	"net/http"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// identity is what a client shows to be somebody. It passes to the legacy
// untouched, on the request that it came with, and is kept nowhere.
type identity struct {
	authorization string
	cookie        string // the login cookies alone
	nonce         string
}

// loginCookies begin the names of the cookies that WordPress signs in with. No
// other cookie passes.
var loginCookies = []string{"wordpress_logged_in_", "wordpress_sec_"}

// SignsIn reports whether a cookie of that name is one that WordPress signs in with.
func SignsIn(cookie string) bool {
	return slices.ContainsFunc(loginCookies, func(prefix string) bool { return strings.HasPrefix(cookie, prefix) })
}

// identityOf reads who asks; cookies and nonce only where they pass.
func identityOf(r *http.Request, cookies bool) identity {
	id := identity{authorization: r.Header.Get("Authorization")}
	if !cookies {
		return id
	}
	id.nonce = r.Header.Get("X-Wp-Nonce")
	if id.nonce == "" && strings.Contains(r.URL.RawQuery, mapping.NonceParam) {
		id.nonce = r.URL.Query().Get(mapping.NonceParam)
	}
	var keep []string
	for _, c := range r.Cookies() {
		if SignsIn(c.Name) {
			keep = append(keep, c.Name+"="+c.Value)
		}
	}
	id.cookie = strings.Join(keep, "; ")
	return id
}

// anonymous reports whether the answer is one that everybody gets.
func (id identity) anonymous() bool { return id == identity{} }

// tell adds the identity's header fields.
func (id identity) tell(h http.Header) {
	for _, field := range [...]struct{ name, value string }{
		{"Authorization", id.authorization},
		{"Cookie", id.cookie},
		{"X-WP-Nonce", id.nonce},
	} {
		if field.value != "" {
			h.Set(field.name, field.value)
		}
	}
}
