package rewrite

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// passed are the fields of the legacy that mean the same at the facade. Fields that are not named here or below
// are dropped.
var passed = []string{"Age", "Cache-Control", "Expires", "Retry-After", "Www-Authenticate"}

// Headers returns the header fields of the facade's response to c, which has the body of result.
// root is the index of the root that answered.
func (r *Rewriter) Headers(c *mapping.Call, root, status int, header http.Header, result Result) http.Header {
	h := make(http.Header, 8)
	for _, name := range passed {
		if v := header.Values(name); len(v) > 0 {
			h[name] = v
		}
	}
	a := r.answer(c, root)
	result.Count = a.count(header, result.Count)
	created := status == http.StatusCreated && c.Endpoint.Action == mapping.Create
	if c.InLegacyNames { // fields of the site, also such as differ by user (recordings events/en/list-options-as-admin)
		a.legacyFields(h, header, created, result.Count)
	} else {
		a.neutralFields(h, status, created, result)
	}
	return h
}

// ServiceDesc returns the value of Link that names the description of the API (RFC 8631), as the root
// of an index answers in a language.
func (r *Rewriter) ServiceDesc(root int, language string) string {
	return fmt.Sprintf(`<%s/doc%s>; rel="service-desc"; type="application/json"`, r.roots[root].Base(), Naming(r.roots, root, language))
}

// Self returns the URL of a call in the neutral namespace. root is the index of the root that
// responds to it.
func (r *Rewriter) Self(c *mapping.Call, root int) string {
	if c.Endpoint.Action == mapping.List {
		return r.answer(c, root).call.PageLink(r.roots[root].Base(), c.Page())
	}
	return r.roots[root].Base() + c.Path() + Naming(r.roots, root, cmp.Or(c.Language, r.roots[root].Language))
}

// count returns the size of a list: by the backend's fields, or by the body if a proxy in between removed these
// fields.
func (a *answer) count(header http.Header, body Count) Count {
	d := a.backend.Dialect
	switch {
	case a.call.Endpoint.Action != mapping.List:
		return Count{}
	case d.Counts(header):
		return Count{
			Known: true,
			Total: mapping.ParseCount(header.Get(d.Total)),
			Pages: mapping.ParseCount(header.Get(d.TotalPages)),
		}
	}
	return body
}

// neutralFields adds the fields of a response in the neutral names to h. Allow names the methods of the path: a
// response for all clients cannot name the methods of a user.
func (a *answer) neutralFields(h http.Header, status int, created bool, result Result) {
	c := a.call
	base := a.roots[a.root].Base()
	h["Allow"] = []string{c.Endpoint.Allow}
	if status >= http.StatusBadRequest {
		h["Link"] = []string{a.ServiceDesc(a.root, a.roots[a.root].Language)}
	}
	if created {
		h["Location"] = []string{base + c.Endpoint.Path + "/" + result.ID + string(a.naming)}
	}
	if !result.Count.Known {
		return
	}
	total := []string{strconv.Itoa(result.Count.Total)}
	last := result.Count.Pages
	pages := []string{strconv.Itoa(last)}
	h[mapping.HeaderTotal] = total
	h[mapping.HeaderWPTotal] = total
	h[mapping.HeaderTotalPages] = pages
	h[mapping.HeaderWPTotalPages] = pages
	var links []string
	if n := c.Page(); n < last {
		links = append(links, fmt.Sprintf(`<%s>; rel="next"`, c.PageLink(base, n+1)))
	}
	if n := c.Page(); n > 1 && last > 0 {
		links = append(links, fmt.Sprintf(`<%s>; rel="prev"`, c.PageLink(base, n-1)))
	}
	if len(links) > 0 {
		h["Link"] = []string{strings.Join(links, ", ")}
	}
}

// The fields that count a list, in the legacy's spelling.
const (
	legacyTotal      = "X-TEC-Total"
	legacyTotalPages = "X-TEC-TotalPages"
)

// legacyFields adds the fields of a response in the legacy's names to h. The legacy's Location leads out of the
// namespace.
func (a *answer) legacyFields(h, header http.Header, created bool, count Count) {
	if allow := header.Values("Allow"); len(allow) > 0 {
		h["Allow"] = allow
	}
	if count.Known {
		h[legacyTotal] = []string{strconv.Itoa(count.Total)}
		h[legacyTotalPages] = []string{strconv.Itoa(count.Pages)}
	}
	if location := header["Location"]; created && a.names.own && location != nil {
		h["Location"] = location
	}
}
