package sim

import (
	"net/url"
	"slices"
	"strings"
)

// wpPaging has no upper limit for the number of items: who has one checks it.
func (c *call) wpPaging(total int) paging {
	p := paging{page: 1, per: 10, total: total}
	if n, ok := tecPositive(c.params["page"]); ok {
		p.page = n
	}
	if n, ok := tecPositive(c.params["per_page"]); ok {
		p.per = n
	}
	p.pages = (total + p.per - 1) / p.per
	return p
}

// wpList is a plain list, counted in the header, with links to the pages beside it.
func (c *call) wpList(items list, p paging, path string, q query) *answer {
	a := &answer{status: 200, body: items, more: object{{"X-WP-Total", p.total}, {"X-WP-TotalPages", p.pages}}}
	link := func(page int, rel string) string {
		return "<" + c.restLink(path+"?"+q.wpPage(page)) + `>; rel="` + rel + `"`
	}
	var links []string
	if p.page < p.pages {
		links = append(links, link(p.page+1, "next"))
	}
	if p.page > 1 && p.pages > 0 {
		links = append(links, link(min(p.page-1, p.pages), "prev"))
	}
	if links != nil {
		a.more = append(a.more, member{"Link", strings.Join(links, ", ")})
	}
	return a
}

// wpPage is the query for another page. The number stays where it is. A plus is not
// escaped, and of an empty value no sign is left.
func (q query) wpPage(n int) string {
	q = slices.Clone(q)
	at := slices.IndexFunc(q, func(p pair) bool { return p.name == "page" })
	if at < 0 {
		at, q = len(q), append(q, pair{name: "page"})
	}
	q[at].value = itoa(n)
	parts := make([]string, len(q))
	for i, p := range q {
		parts[i] = url.QueryEscape(p.name)
		if p.value != "" {
			parts[i] += "=" + strings.ReplaceAll(url.QueryEscape(p.value), "%2B", "+")
		}
	}
	return strings.Join(parts, "&")
}

// wpBools are the parameters that are written in links as PHP has read them: nothing is
// left of a false one but its name.
var wpBools = []string{"hide_empty"}

// wpQuery is the query of the request, for links to other pages.
func (c *call) wpQuery() query {
	var out query
	for part := range strings.SplitSeq(c.http.URL.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		if name, value = unescape(name), unescape(value); slices.Contains(wpBools, name) {
			if value = ""; c.params.bool(name) {
				value = "1"
			}
		}
		if name != "" && name != "rest_route" {
			out = append(out, pair{name, value})
		}
	}
	return out
}
