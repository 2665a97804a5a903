package sim

import (
	"net/url"
	"slices"
	"strings"
)

const maxPerPage = 50

// paging is the requested part of a result.
type paging struct {
	page, per    int
	total, pages int
}

// paging cuts per_page silently at a most. The arguments were checked before.
func (c *call) paging(total, most int) paging {
	p := paging{page: max(c.params.int("page"), 1), per: 10, total: total}
	if c.params.given("per_page") {
		p.per = max(min(c.params.int("per_page"), most), 1)
	}
	p.pages = (total + p.per - 1) / p.per
	return p
}

// beyond reports that there is no such page; the first exists even if it is empty.
func (p paging) beyond() bool { return p.page > 1 && p.page > p.pages }

func slice[T any](items []T, p paging) []T {
	from := min((p.page-1)*p.per, len(items))
	return items[from:min(from+p.per, len(items))]
}

// postList is the body of a list of posts. rest goes into the links to the
// other pages, percent-encoded; self is already as it shall be.
func (c *call) postList(key string, items list, p paging, self string, rest query) *answer {
	link := func(query string) string { return c.restURL(key + "/?" + query) }
	body := object{{key, items}, {"rest_url", link(self)}}
	if p.page < p.pages {
		body = body.with("next_rest_url", link(rest.toPage(p.page+1)))
	}
	if p.page > 1 {
		body = body.with("previous_rest_url", link(rest.toPage(p.page-1)))
	}
	body = body.with("total", p.total).with("total_pages", p.pages)
	return &answer{status: 200, body: body, list: true, total: p.total, pages: p.pages}
}

// query is a query string to be, in order.
type query []pair

type pair struct{ name, value string }

// raw is not percent-encoded.
func (q query) raw() string { return q.join(func(s string) string { return s }) }

// encoded leaves out what has no name.
func (q query) encoded() string { return q.without("").join(url.QueryEscape) }

func (q query) join(escape func(string) string) string {
	parts := make([]string, len(q))
	for i, p := range q {
		parts[i] = p.name
		if p.value != "" {
			parts[i] += "=" + escape(p.value)
		}
	}
	return strings.Join(parts, "&")
}

// behind is raw, to be appended to another query.
func (q query) behind() string {
	if len(q) == 0 {
		return ""
	}
	return "&" + q.raw()
}

func (q query) without(name string) query {
	var out query
	for _, p := range q {
		if p.name != name {
			out = append(out, p)
		}
	}
	return out
}

// toPage puts the page last, and omits it for the first.
func (q query) toPage(n int) string {
	if n > 1 {
		q = append(q.without("page"), pair{"page", itoa(n)})
	}
	return q.encoded()
}

// every passes what all filters pass.
func every[T any](pass []func(T) bool) func(T) bool {
	return func(item T) bool {
		return !slices.ContainsFunc(pass, func(f func(T) bool) bool { return !f(item) })
	}
}
