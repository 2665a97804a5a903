package edge

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// Identity is the credentials of a client: Authorization, the login cookies of WordPress and its nonce.
// The credentials go to the backend unchanged, with the request that had them, and are neither stored
// nor logged. A response to a client with credentials is never shared.
type Identity struct {
	Authorization string
	Cookie        string // the login cookies alone
	Nonce         string
}

// loginCookies are the prefixes of the cookies with which WordPress authenticates a user.
// No other cookie is sent to the backend.
var loginCookies = []string{"wordpress_logged_in_", "wordpress_sec_"}

// SignsIn reports whether WordPress authenticates users with cookies of that name.
func SignsIn(cookie string) bool {
	return slices.ContainsFunc(loginCookies, func(prefix string) bool { return strings.HasPrefix(cookie, prefix) })
}

// MaySignIn reports whether the value of a field Cookie may have login cookies. False is certain: the value has
// no login cookies.
func MaySignIn(cookie []byte) bool {
	return slices.ContainsFunc(loginCookies, func(prefix string) bool { return bytes.Contains(cookie, []byte(prefix)) })
}

// IdentityOf reads the credentials of a request. Without cookies only Authorization counts.
func IdentityOf(r *http.Request, cookies bool) Identity {
	id := Identity{Authorization: r.Header.Get("Authorization")}
	if !cookies {
		return id
	}
	id.Nonce = r.Header.Get("X-Wp-Nonce")
	if id.Nonce == "" && strings.Contains(r.URL.RawQuery, mapping.NonceParam) {
		id.Nonce = r.URL.Query().Get(mapping.NonceParam)
	}
	var login []string
	for _, c := range r.Cookies() {
		if SignsIn(c.Name) {
			login = append(login, c.Name+"="+c.Value)
		}
	}
	id.Cookie = strings.Join(login, "; ")
	return id
}

// failed interprets a status of the site. The site sends 401 for an unknown user or wrong password. The
// site sends 403 for a user without the right, which is no failed sign-in, but also for a wrong nonce
// and for a wrong password of an item.
func (id Identity) failed(password bool, status int) bool {
	switch status {
	case http.StatusUnauthorized:
		return !id.Anonymous() || password
	case http.StatusForbidden:
		return id.Authorization == "" && (id.Nonce != "" || password)
	}
	return false
}

// Anonymous reports whether there are no credentials.
func (id Identity) Anonymous() bool { return id == Identity{} }

// SetHeader sets the header fields of the credentials.
func (id Identity) SetHeader(h http.Header) {
	for name, value := range map[string]string{"Authorization": id.Authorization, "Cookie": id.Cookie, "X-WP-Nonce": id.Nonce} {
		if value != "" {
			h.Set(name, value)
		}
	}
}
