package legacyclients

import (
	"net/http"
	"strconv"
)

// Announce sets the header fields that every response has: the root of the REST interface, as
// WordPress does; the dates at which the namespace is deprecated and switched off; and the
// neutral URL of the same resource.
func (c *Clients) Announce(h http.Header, root, successor string) {
	h["Link"] = []string{"<" + root + `/>; rel="https://api.w.org/"`, "<" + successor + `>; rel="successor-version"`}
	if at := c.options.Deprecated; !at.IsZero() {
		h["Deprecation"] = []string{"@" + strconv.FormatInt(at.Unix(), 10)} // RFC 9745
	}
	if at := c.options.Sunset; !at.IsZero() {
		h["Sunset"] = []string{at.UTC().Format(http.TimeFormat)} // RFC 8594
	}
}
