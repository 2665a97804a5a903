package proxy

import (
	"github.com/calfacade/calfacade/proxy/identity"
	"net/http"
	"slices"
	"strings"
	"time"
)

// obstacle is why the legacy's answer to an anonymous reader is for that one or for this
// moment alone.
type obstacle struct {
	what string // what the legacy does
	key  string // of the configuration, that can allow it
}

// obstacle returns the first one, if there is any. The call had no cookie, so that one
// that comes with the answer is new, and the answer is not about it.
func (o CacheOptions) obstacle(from http.Header) (found obstacle, ok bool) {
	for _, line := range from.Values("Set-Cookie") {
		if name := cookieName(line); !o.ignores(name) {
			return obstacle{"sets the cookie " + name, "cache.ignore_cookies"}, true
		}
	}
	said := directivesOf(from)
	for _, directive := range []string{"no-store", "private"} {
		if said.any(directive) && !o.OverrideNoStore {
			return obstacle{"says Cache-Control: " + directive, "cache.override_no_store"}, true
		}
	}
	return obstacle{}, false
}

// shares reports whether everybody may have an answer to an anonymous reader.
func (o CacheOptions) shares(from http.Header) bool {
	_, found := o.obstacle(from)
	return !found
}

// collapses reports whether an answer may be given to all who wait for it.
func (o CacheOptions) collapses(from http.Header, began time.Time) bool {
	return o.shares(from) && !(o.ObeyOrigin && originOf(from, began).forbids())
}

// ignores reports whether a cookie of that name is no reason against sharing. One that
// signs somebody in always is.
func (o CacheOptions) ignores(cookie string) bool {
	if cookie == "" || identity.SignsIn(cookie) {
		return false
	}
	return slices.ContainsFunc(o.IgnoreCookies, func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return cookie == pattern || open && strings.HasPrefix(cookie, prefix)
	})
}

// cookieName returns the name of the cookie that a Set-Cookie sets.
func cookieName(line string) string {
	name, _, _ := strings.Cut(line, "=")
	return strings.TrimSpace(name)
}
