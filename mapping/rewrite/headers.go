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
	// The legacy's names the methods that the user may use (recordings events/en/list-options-as-admin); a
	// response for all clients cannot.
	allow := header.Values("Allow")
	if !c.OldNames {
		h["Allow"] = []string{c.Endpoint.Allow}
	} else if len(allow) > 0 {
		h["Allow"] = allow
	}
	a := r.answer(c, root)
	if status >= http.StatusBadRequest && !c.OldNames {
		h["Link"] = []string{r.ServiceDesc(root, r.roots[root].Language)}
	}
	a.counts(h, header, result.Count)
	created := status == http.StatusCreated && c.Endpoint.Action == mapping.Create
	switch location := header["Location"]; {
	case created && !c.OldNames:
		h["Location"] = []string{r.roots[root].Base() + c.Endpoint.Path + "/" + result.ID + string(a.naming)}
	case created && r.isLegacy && location != nil:
		h["Location"] = location // out of the namespace
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

// The fields that count a list, in the legacy's spelling.
const (
	legacyTotal      = "X-TEC-Total"
	legacyTotalPages = "X-TEC-TotalPages"
)

// counts adds the fields that count a list: by the backend's fields, or by the body if a proxy in between
// removed these fields.
func (a *answer) counts(h, header http.Header, count Count) {
	c := a.call
	d := a.backend.Dialect
	if d.Counts(header) {
		count = Count{
			Known: true,
			Total: mapping.ParseCount(header.Get(d.Total)),
			Pages: mapping.ParseCount(header.Get(d.TotalPages)),
		}
	}
	if c.Endpoint.Action != mapping.List || !count.Known {
		return
	}
	total := strconv.Itoa(count.Total)
	last := count.Pages
	if c.OldNames {
		h[legacyTotal] = []string{total}
		h[legacyTotalPages] = []string{strconv.Itoa(last)}
		return
	}
	h[mapping.HeaderTotal] = []string{total}
	h[mapping.HeaderWPTotal] = []string{total}
	h[mapping.HeaderTotalPages] = []string{strconv.Itoa(last)}
	h[mapping.HeaderWPTotalPages] = h[mapping.HeaderTotalPages]
	var links []string
	if n := c.Page(); n < last {
		links = append(links, fmt.Sprintf(`<%s>; rel="next"`, c.PageLink(a.roots[a.root].Base(), n+1)))
	}
	if n := c.Page(); n > 1 && last > 0 {
		links = append(links, fmt.Sprintf(`<%s>; rel="prev"`, c.PageLink(a.roots[a.root].Base(), n-1)))
	}
	if len(links) > 0 {
		h["Link"] = []string{strings.Join(links, ", ")}
	}
}
