package legacyclients

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// The fields that count a list, as the legacy spells them.
const (
	headerTotal      = "X-TEC-Total"
	headerTotalPages = "X-TEC-TotalPages"
)

// Header returns the header of a neutral response in the legacy's names, without its links.
func Header(neutral http.Header) http.Header {
	h := make(http.Header, len(neutral))
	for name, values := range neutral {
		switch name {
		case mapping.HeaderTotal:
			h[headerTotal] = values
		case mapping.HeaderTotalPages:
			h[headerTotalPages] = values
		case mapping.HeaderWPTotal, mapping.HeaderWPTotalPages, "Link", "Location":
		default:
			h[name] = values
		}
	}
	return h
}

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

// Tag returns the ETag of a legacy body. neutral is that of the neutral body, and hash that of
// everything else which the legacy body is made from.
func Tag(neutral string, hash uint64) string {
	return strings.TrimSuffix(neutral, `"`) + "-legacy-" + strconv.FormatUint(hash, 16) + `"`
}
