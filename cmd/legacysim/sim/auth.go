package sim

import "strings"

// authenticate finds the user. Basic credentials that are wrong fail every
// request, also a public one; credentials other than Basic, or without a password, are ignored. A cookie
// alone counts for nothing without its nonce.
func (c *call) authenticate() error {
	lang := c.root.lang
	if name, password, ok := c.http.BasicAuth(); ok && password != "" {
		u := userByName(name)
		switch {
		case u == nil && strings.Contains(name, "@"):
			return lang.fail(401, "invalid_email", "<strong>Error:</strong> Unknown email address. Check again or try your username.")
		case u == nil:
			return lang.fail(401, "invalid_username", "<strong>Error:</strong> Unknown username. Check again or try your email address.")
		}
		if password != u.Password {
			return lang.fail(401, "incorrect_password", "The provided password is an invalid application password.")
		}
		c.user, c.private = u, true
		return nil
	}
	return c.authenticateCookie()
}

// authenticateCookie refuses a wrong nonce even without a cookie. An empty one is
// wrong.
func (c *call) authenticateCookie() error {
	nonce, there := c.http.Header.Get("X-WP-Nonce"), c.http.Header.Values("X-WP-Nonce") != nil
	if c.query.given("_wpnonce") {
		nonce, there = c.query.str("_wpnonce"), true
	}
	if !there {
		return nil
	}
	c.private = true
	if cookie, err := c.http.Cookie(loginCookie); err == nil {
		if u := userByName(cookie.Value); u != nil && nonce == u.Nonce() {
			c.user, c.nonce = u, true
			return nil
		}
	}
	return c.root.lang.fail(403, "rest_cookie_invalid_nonce", "Cookie check failed")
}
