package mapping

import (
	"net/url"
	"strconv"
	"strings"
)

// Canonical is the query in its canonical form, without secrets.
func (c *Call) Canonical() string {
	var room [256]byte
	return string(c.appendCanonical(room[:0]))
}

func (c *Call) appendCanonical(dst []byte) []byte {
	start := len(dst)
	for i := range c.Query {
		if a := &c.Query[i]; !a.Param.Secret {
			dst = a.appendPair(dst, start)
		}
	}
	return dst
}

// Key names the response to a read, for the cache. Calls of one key, once [Call.Rooted],
// are the same call. root is the code of the root that answers it.
//
// The key of a call that is Secret must not be used: it does not hold the secret.
func (c *Call) Key(root string) string {
	var room [256]byte
	key := append(append(room[:0], c.Endpoint.name...), ':')
	key = append(append(key, root...), ':')
	key = append(append(key, url.PathEscape(c.Item)...), ':')
	if c.OldNames {
		key = append(key, "old:"...)
	}
	return string(c.appendCanonical(key))
}

// Path is the path of the call below the namespace, percent-encoded.
func (c *Call) Path() string {
	path := c.Endpoint.Path
	for i := range c.Endpoint.Params {
		if p := &c.Endpoint.Params[i]; p.In == InPath {
			path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(c.Item), 1)
		}
	}
	return path
}

// PageLink is the link to page n of a list with every filter. base is the
// public URL of the namespace.
func (c *Call) PageLink(base string, n int) string {
	return string(c.AppendPageLink(nil, []byte(base), n))
}

func (c *Call) AppendPageLink(dst, base []byte, n int) []byte {
	dst = append(dst, base...)
	dst = append(dst, c.Path()...)
	dst = append(dst, "/?"...)
	start := len(dst)
	for _, a := range c.Query {
		switch {
		case a.Param.Secret:
			continue
		case a.Param.Name == PageParam.Name:
			a.Text = strconv.Itoa(n)
		case a.IsDefault() && a.Param.Name != perPage.Name:
			continue
		}
		dst = a.appendPair(dst, start)
	}
	return dst
}

// appendPair appends name and value to the query that begins at start.
func (a *Arg) appendPair(dst []byte, start int) []byte {
	if len(dst) > start {
		dst = append(dst, '&')
	}
	dst = append(dst, a.Param.Name...)
	dst = append(dst, '=')
	return appendQueryEscaped(dst, a.Text)
}

// appendQueryEscaped is url.QueryEscape without memory of its own.
func appendQueryEscaped(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	done := 0
	for i := range len(s) {
		c := s[i]
		if unreserved[c] {
			continue
		}
		dst = append(dst, s[done:i]...)
		done = i + 1
		if c == ' ' {
			dst = append(dst, '+')
		} else {
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		}
	}
	return append(dst, s[done:]...)
}

// unreserved has the bytes that a URL has unescaped (RFC 3986, 2.3).
var unreserved = func() (is [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~") {
		is[c] = true
	}
	return is
}()
