package sim

import (
	"net/url"
	"slices"
	"strings"
)

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

// pageQuery is the query of the request for the links to other pages: the parameters that
// are declared are written as PHP has read them, and a false one is dropped. WordPress's own
// leaves its name.
func (c *call) pageQuery() query {
	var out query
	for part := range strings.SplitSeq(c.http.URL.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		name, value = unescape(name), unescape(value)
		base, _, _ := strings.Cut(name, "[")
		v := c.query[base]
		switch declared := c.declared(base); {
		case base == "", base == "rest_route":
		case declared == nil:
			out = append(out, pair{name, value})
		case declared == "integer":
			n, _ := positive(v)
			out = append(out, pair{base, itoa(n)})
		case declared == "boolean" && phpTrue(v):
			out = append(out, pair{base, "1"})
		case declared == "flag":
			out = append(out, pair{base, map[bool]string{true: "1"}[c.params.bool(base)]})
		case declared == "array" && !slices.ContainsFunc(out, func(p pair) bool { return strings.HasPrefix(p.name, base+"[") }):
			for i, item := range stringList(v) {
				out = append(out, pair{base + "[" + itoa(i) + "]", item})
			}
		}
	}
	return out
}

// declared is the type of a parameter of a list; nil for none.
func (c *call) declared(name string) any {
	if c.route == nil && name == "hide_empty" {
		return "flag"
	} else if c.route == nil {
		return nil
	}
	for _, a := range c.route.endpoint("GET").args {
		if a.name == name && a.schema.get("type") != "string" {
			return a.schema.get("type")
		}
	}
	return nil
}
