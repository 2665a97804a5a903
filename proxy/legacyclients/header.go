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

// Header returns the fields of a response in the legacy's names. It is that of a neutral
// response otherwise, without its links.
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

// Announce sets the fields that every response has: the root of the REST interface as
// WordPress has it, when the namespace ends, and the neutral URL of the same resource.
func (c *Clients) Announce(h http.Header, root, successor string) {
	h["Link"] = []string{"<" + root + `/>; rel="https://api.w.org/"`, "<" + successor + `>; rel="successor-version"`}
	if at := c.options.Deprecated; !at.IsZero() {
		h["Deprecation"] = []string{"@" + strconv.FormatInt(at.Unix(), 10)} // RFC 9745
	}
	if at := c.options.Sunset; !at.IsZero() {
		h["Sunset"] = []string{at.UTC().Format(http.TimeFormat)} // RFC 8594
	}
}

// Tag returns the validator of a legacy form: of a body whose neutral form has the validator
// neutral, and that what makes it from that one has the hash of.
func Tag(neutral string, of uint64) string {
	return strings.TrimSuffix(neutral, `"`) + "-legacy-" + strconv.FormatUint(of, 16) + `"`
}
