package sim

// authenticate finds the user. Basic credentials that are wrong fail every
// request, also a public one; what is no Basic at all is ignored. A cookie
// alone counts for nothing without its nonce.
func (c *call) authenticate() error {
	lang := c.root.lang
	if name, password, ok := c.http.BasicAuth(); ok {
		u := userByName(name)
		if u == nil {
			return lang.fail(401, "invalid_username", msgUsername)
		}
		if password != u.Password {
			return lang.fail(401, "incorrect_password", msgAppPassword)
		}
		c.user, c.private = u, true
		return nil
	}
	return c.authenticateCookie()
}

// authenticateCookie refuses a wrong nonce even without a cookie.
func (c *call) authenticateCookie() error {
	nonce := c.http.Header.Get("X-WP-Nonce")
	if n := c.query.str("_wpnonce"); n != "" {
		nonce = n
	}
	if nonce == "" {
		return nil
	}
	c.private = true
	if cookie, err := c.http.Cookie(LoginCookie); err == nil {
		if u := userByName(cookie.Value); u != nil && nonce == u.Nonce() {
			c.user, c.nonce = u, true
			return nil
		}
	}
	return c.root.lang.fail(403, "rest_cookie_invalid_nonce", msgNonce)
}
