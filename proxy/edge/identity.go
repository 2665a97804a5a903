package edge

import (
	"bytes"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/problem"
)

// Identity is the credentials of a client: Authorization, the login cookies of WordPress and its nonce.
// They are sent to the backend unchanged, with the request that they came with, and are neither stored
// nor logged. A response to a client that has any is never shared.
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

// failingClients is the number of clients with failed sign-ins that are remembered. Each attempt to sign
// in is a call to the site, and may be a guess.
const failingClients = 10_000

// AdmitSignIn refuses a request with credentials, or with the password of an item, if its client has
// failed too often.
func (e *Edge) AdmitSignIn(r *http.Request, id Identity, password bool, now time.Time) error {
	if e.signIns == nil || id.Anonymous() && !password {
		return nil
	}
	if wait := e.signIns.wait(e.Client(r), now); wait > 0 {
		e.reportSignIn("refused")
		return problem.RateLimited(wait)
	}
	return nil
}

// CountSignIn counts a request whose status, of the site, reports that its client failed to
// sign in.
func (e *Edge) CountSignIn(client netip.Addr, id Identity, password bool, status int, now time.Time) {
	if e.signIns != nil && id.failed(password, status) {
		e.reportSignIn("failed")
		e.signIns.takeHere(client, now)
	}
}

// failed interprets a status of the site. It is 401 for an unknown user or wrong password. It
// is 403 for a user without the right, which is no failed sign-in, but also for a wrong nonce
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
