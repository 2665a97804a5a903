package mapping

import (
	"net/http"
	"strconv"
)

// Header fields that count a list. Clients of WordPress know the second pair.
// They are written with these capitals, which net/http's own form would lose.
const (
	HeaderTotal        = "X-Calendar-Total"
	HeaderTotalPages   = "X-Calendar-TotalPages"
	HeaderWPTotal      = "X-WP-Total"
	HeaderWPTotalPages = "X-WP-TotalPages"
)

// Exposed are the fields that scripts of other origins may read.
var Exposed = []string{
	"Age", "Allow", "Cache-Status", "Content-Language", "Deprecation", "ETag", "Link", "Location", "Preference-Applied", "RateLimit",
	"RateLimit-Policy", "Retry-After", "Sunset", "X-Request-Id", "X-WP-Nonce",
	HeaderTotal, HeaderTotalPages, HeaderWPTotal, HeaderWPTotalPages,
}

// Counts reports whether a list is counted in a header.
func (d *Dialect) Counts(h http.Header) bool {
	return h.Get(d.Total) != "" && h.Get(d.TotalPages) != ""
}

// Counts reports whether the header of a list has the fields that the backend counts it in.
func (b Backend) Counts(h http.Header) bool { return b.Dialect.Counts(h) }

// HeaderCount reads a count from a header; 0 if there is none.
func HeaderCount(h http.Header, name string) int { return ParseCount(h.Get(name)) }

// ParseCount reads a count; 0 if s is none.
func ParseCount(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
