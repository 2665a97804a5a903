package freshness

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/proxy/identity"
)

// Obstacle prevents that clients share a response of the site to an anonymous request.
type Obstacle struct {
	Cause string // what the site does: "sets the cookie cart"
	Key   string // of the configuration, that permits sharing all the same
}

// String returns what an operator should know.
func (o Obstacle) String() string {
	return fmt.Sprintf("%s: responses to anonymous clients are cached only if %s allows it", o.Cause, o.Key)
}

// Obstacle returns the first obstacle in the header of a response, if there is any. The call
// had no cookies: one that the response sets is new, and its content does not depend on it.
func (o Options) Obstacle(from http.Header) (found Obstacle, ok bool) {
	for _, line := range from.Values("Set-Cookie") {
		if name := cookieName(line); !o.ignores(name) {
			return Obstacle{"sets the cookie " + name, "cache.ignore_cookies"}, true
		}
	}
	sent := directivesOf(from)
	for _, directive := range []string{"no-store", "private"} {
		if sent.any(directive) && !o.OverrideNoStore {
			return Obstacle{"sends Cache-Control: " + directive, "cache.override_no_store"}, true
		}
	}
	return Obstacle{}, false
}

// Shares reports whether all clients may get a response to an anonymous request.
func (o Options) Shares(from http.Header) bool {
	_, found := o.Obstacle(from)
	return !found
}

// Collapses reports whether all clients that wait for a response may get it.
func (o Options) Collapses(from http.Header, began time.Time) bool {
	return o.Shares(from) && !(o.ObeyOrigin && originOf(from, began).forbidsReuse())
}

// ignores reports whether a cookie of that name does not prevent sharing. One that
// authenticates a user always does.
func (o Options) ignores(cookie string) bool {
	if cookie == "" || identity.SignsIn(cookie) {
		return false
	}
	return slices.ContainsFunc(o.IgnoreCookies, func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return cookie == pattern || open && strings.HasPrefix(cookie, prefix)
	})
}

// cookieName returns the name of the cookie that a Set-Cookie line sets.
func cookieName(line string) string {
	name, _, _ := strings.Cut(line, "=")
	return strings.TrimSpace(name)
}
