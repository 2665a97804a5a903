package mapping

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
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
	"Allow", "Content-Language", "ETag", "Link", "Location", "Preference-Applied", "Retry-After", "X-Request-Id", "X-WP-Nonce",
	HeaderTotal, HeaderTotalPages, HeaderWPTotal, HeaderWPTotalPages,
}

// passed are the fields of the legacy that mean the same at the facade. Whatever
// is not named here or below does not get through.
var passed = []string{"Allow", "Cache-Control", "Expires", "Retry-After", "Www-Authenticate"}

// Headers gives the header fields of the facade's answer to c, which has the body of made.
// root is the index of the root that answered.
func (r *Rewriter) Headers(c *Call, root, status int, from http.Header, made Answer) http.Header {
	h := make(http.Header, 8)
	for _, name := range passed {
		if v := from.Values(name); len(v) > 0 {
			h[name] = v
		}
	}
	at := r.answering(c, root)
	r.counts(h, r.linked(c, at), root, from, made.Count)
	if l := r.location(c, at, status, from, made.ID); l != "" {
		h["Location"] = []string{l}
	}
	return h
}

// counts adds the fields that count a list: by the fields that the backend counts it in,
// or by the body, where something between took these away.
func (r *Rewriter) counts(h http.Header, c *Call, root int, from http.Header, count Count) {
	d := r.backend.Dialect
	if d.Counts(from) {
		count = Count{true, HeaderCount(from, d.Total), HeaderCount(from, d.TotalPages)}
	}
	if c.Endpoint.Action != List || !count.Said {
		return
	}
	total, last := strconv.Itoa(count.Total), count.Pages
	h[HeaderTotal], h[HeaderWPTotal] = []string{total}, []string{total}
	h[HeaderTotalPages] = []string{strconv.Itoa(last)}
	h[HeaderWPTotalPages] = h[HeaderTotalPages]
	var links []string
	if n := c.Page(); n < last {
		links = append(links, fmt.Sprintf(`<%s>; rel="next"`, c.PageLink(r.roots[root].Base(), n+1)))
	}
	if n := c.Page(); n > 1 && last > 0 {
		links = append(links, fmt.Sprintf(`<%s>; rel="prev"`, c.PageLink(r.roots[root].Base(), n-1)))
	}
	if len(links) > 0 {
		h["Link"] = []string{strings.Join(links, ", ")}
	}
}

// location names what was created. The legacy does so for terms only, outside of
// the namespace; the id at its end is the same there.
func (r *Rewriter) location(c *Call, at answering, status int, from http.Header, id string) string {
	if status != http.StatusCreated || c.Endpoint.Action != Create {
		return ""
	}
	if id == "" {
		there := strings.TrimSuffix(from.Get("Location"), "/")
		id = r.backend.IDs.Legacy(c.Endpoint.Resource, there[strings.LastIndexByte(there, '/')+1:])
	}
	if _, ok := ParseID(id); !ok {
		return ""
	}
	return r.roots[at.root].Base() + c.Endpoint.Path + "/" + id + string(at.naming)
}

// Counts reports whether a list is counted in a header.
func (d *Dialect) Counts(h http.Header) bool {
	return h.Get(d.Total) != "" && h.Get(d.TotalPages) != ""
}

// Counts reports whether the header of a list has the fields that the backend counts it in.
func (b Backend) Counts(h http.Header) bool { return b.Dialect.Counts(h) }

// HeaderCount reads a count from a header; 0 if there is none.
func HeaderCount(h http.Header, name string) int { return atLeastNone(h.Get(name)) }

// atLeastNone reads a count; 0 for what is none.
func atLeastNone(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
