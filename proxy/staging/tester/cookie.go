package tester

import (
	"net/http"
	"time"
)

// SetCookie returns the values of Set-Cookie that store a token until it expires.
func (t *Testers) SetCookie(token string, p Pass, now time.Time) []string {
	return t.setCookie(token, int(p.Expires.Sub(now)/time.Second))
}

// ClearCookie returns the values of Set-Cookie that delete the cookie; none if cookies are not
// accepted.
func (t *Testers) ClearCookie() []string {
	if !t.cookie {
		return nil
	}
	return t.setCookie("", -1)
}

// setCookie makes one cookie for each root, so that no other part of a shared host receives
// it. Secure: browsers accept it over https, and from localhost.
func (t *Testers) setCookie(token string, maxAge int) []string {
	var all []string
	for _, path := range t.paths {
		c := http.Cookie{Name: Cookie, Value: token, Path: path, MaxAge: maxAge, Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode}
		all = append(all, c.String())
	}
	return all
}
