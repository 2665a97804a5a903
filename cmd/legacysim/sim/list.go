package sim

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const maxPerPage = 50

// paging is the requested part of a result.
type paging struct {
	page, per    int
	total, pages int
}

// paging cuts per_page silently at a most.
func (c *call) paging(total int) paging {
	p := paging{page: max(c.params.int("page"), 1), per: 10, total: total}
	if c.params.isGiven("per_page") {
		p.per = max(min(c.params.int("per_page"), maxPerPage), 1)
	}
	p.pages = (total + p.per - 1) / p.per
	return p
}

// beyond reports that there is no such page; the first page exists even if empty.
func (p paging) beyond() bool { return p.page > 1 && p.page > p.pages }

// counts are the header fields of a list.
func (p paging) counts(prefix string) object {
	return object{{prefix + "-Total", p.total}, {prefix + "-TotalPages", p.pages}}
}

func slice[T any](items []T, p paging) []T {
	start := min((p.page-1)*p.per, len(items))
	return items[start:min(start+p.per, len(items))]
}

// withPages adds the links to the other pages.
func (c *call) withPages(body object, key string, p paging, parameters query) object {
	if p.page < p.pages {
		body = body.with("next_rest_url", c.restURL(key+"/?"+parameters.toPage(p.page+1)))
	}
	if p.page > 1 {
		body = body.with("previous_rest_url", c.restURL(key+"/?"+parameters.toPage(p.page-1)))
	}
	return body
}

// query is a query string to be, in order.
type query []pair

type pair struct{ name, value string }

// raw is not percent-encoded.
func (q query) raw() string { return q.join(func(s string) string { return s }) }

func (q query) encoded() string { return q.join(url.QueryEscape) }

func (q query) join(escape func(string) string) string {
	parts := make([]string, len(q))
	for i, p := range q {
		parts[i] = escape(p.name) + "=" + escape(p.value)
	}
	return strings.Join(parts, "&")
}

func (q query) without(name string) query {
	return slices.DeleteFunc(slices.Clone(q), func(p pair) bool { return p.name == name })
}

// toPage puts the page last, and omits it for the first.
func (q query) toPage(n int) string {
	if n > 1 {
		q = append(q.without("page"), pair{name: "page", value: itoa(n)})
	}
	return q.encoded()
}

// filters are the conditions that an item of a list must meet.
type filters[T any] []func(T) bool

// addIf adds a filter that applies, and drops others.
func (f *filters[T]) addIf(applies bool, pass func(T) bool) {
	if applies {
		*f = append(*f, pass)
	}
}

func (f filters[T]) pass(item T) bool {
	return !slices.ContainsFunc(f, func(pass func(T) bool) bool { return !pass(item) })
}

// searchWords are the words that a search must all find, or one phrase in quotes.
func searchWords(s string) []string {
	s = fold(strings.TrimSpace(s))
	if phrase, err := strconv.Unquote(s); err == nil {
		return []string{phrase}
	}
	return strings.Fields(s)
}

func hasWords(words []string, texts ...string) bool {
	if len(words) == 0 { // folding takes long
		return true
	}
	text := fold(strings.Join(texts, "\n"))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// listStatuses are the requested statuses; statusParam has the default.
func (c *call) listStatuses() []string {
	s := c.statusParam()
	switch s {
	case "any":
		return []string{"publish", "future", "draft", "pending", "private"}
	case "":
		return []string{"publish", "private"}
	}
	return strings.Split(s, ",")
}

// statusParam is the status in links.
func (c *call) statusParam() string {
	if c.params.isGiven("status") && isEmpty(c.params["status"]) {
		return ""
	}
	statuses := c.params.list("status")
	if statuses != nil {
		return strings.Join(statuses, ",")
	}
	if c.user.createsPost() {
		return "any"
	}
	return "publish"
}

// newestFirst is the order of posts other than events.
func newestFirst(a, b *post) int { return cmp.Or(b.date.Compare(a.date), b.id-a.id) }

func overlap(a, b []int) bool {
	return slices.ContainsFunc(a, func(n int) bool { return slices.Contains(b, n) })
}

// postList lists a page of posts. parameters go into the links to the other pages, percent-encoded; self is
// already encoded.
func (d postDef) postList(c *call, posts []*post, p paging, render func(*post) object, self string, parameters query) (*answer, error) {
	if p.beyond() {
		return nil, c.root.lang.fail(404, d.name+"-archive-page-not-found")
	}
	body := object{{d.key, each(slice(posts, p), render)}, {"rest_url", c.restURL(d.key + "/?" + self)}}
	body = c.withPages(body, d.key, p, parameters).with("total", p.total).with("total_pages", p.pages)
	return &answer{status: 200, body: body, headers: p.counts("X-TEC")}, nil
}
