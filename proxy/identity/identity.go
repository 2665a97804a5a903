// Package identity reads the credentials of a client from its request: Authorization, the
// login cookies of WordPress and its nonce. [Of] returns them; a response to a client that
// has any is never shared.
package identity

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// Identity is the credentials of a client. They are sent to the backend unchanged, with the
// request that they came with, and are neither stored nor logged.
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

// MaySignIn reports whether the value of a field Cookie may have login cookies. It is false only
// if there are none.
func MaySignIn(cookie []byte) bool {
	return slices.ContainsFunc(loginCookies, func(prefix string) bool { return bytes.Contains(cookie, []byte(prefix)) })
}

// Of reads the credentials of a request. Without cookies only Authorization counts.
func Of(r *http.Request, cookies bool) Identity {
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

// Anonymous reports whether there are no credentials.
func (id Identity) Anonymous() bool { return id == Identity{} }

// SetHeader sets the header fields of the credentials.
func (id Identity) SetHeader(h http.Header) {
	for _, field := range [...]struct{ name, value string }{
		{"Authorization", id.Authorization},
		{"Cookie", id.Cookie},
		{"X-WP-Nonce", id.Nonce},
	} {
		if field.value != "" {
			h.Set(field.name, field.value)
		}
	}
}
