package sim

import (
	"slices"
	"strconv"
	"strings"
)

// eventFilter selects the listed events.
type eventFilter struct {
	bounds   []bound
	words    []string
	statuses []string
	pass     []func(*post) bool
}

func (c *call) eventFilter() eventFilter {
	f := eventFilter{bounds: c.bounds(), words: searchWords(c.params.str("search")), statuses: c.listStatuses()}
	f.pass = append(f.pass, c.listsPost)
	in := func(name string, ids func(*eventData) []int, wanted []int) {
		if c.params.given(name) {
			f.pass = append(f.pass, func(p *post) bool { return overlap(ids(p.event), wanted) })
		}
	}
	in("categories", func(e *eventData) []int { return e.categories }, c.blog.withDescendants(c.termIDs(categoryTaxonomy, "categories")))
	in("tags", func(e *eventData) []int { return e.tags }, c.termIDs(tagTaxonomy, "tags"))
	in("venue", func(e *eventData) []int { return e.venues }, c.withTranslations(c.params.ints("venue")))
	in("organizer", func(e *eventData) []int { return e.organizers }, c.withTranslations(c.params.ints("organizer")))
	if c.params.given("featured") {
		want := c.params.bool("featured")
		f.pass = append(f.pass, func(p *post) bool { return p.event.featured == want })
	}
	if c.params.given("include") {
		ids := c.params.ints("include")
		f.pass = append(f.pass, func(p *post) bool { return slices.Contains(ids, p.id) })
	}
	if c.params.given("post_parent") {
		parent := c.params.int("post_parent")
		f.pass = append(f.pass, func(p *post) bool { return p.parent == parent })
	}
	return f
}

func (f eventFilter) matches(p *post) bool {
	if !slices.Contains(f.statuses, p.status) || p.event.hidden || !hasWords(f.words, p.title, p.content, p.excerpt) {
		return false
	}
	for _, b := range f.bounds {
		if !b.holds(p.event) {
			return false
		}
	}
	for _, pass := range f.pass {
		if !pass(p) {
			return false
		}
	}
	return true
}

// termIDs turns ids and slugs into ids.
func (c *call) termIDs(tax taxonomy, name string) []int {
	var ids []int
	for _, s := range c.params.list(name) {
		// Polylang looks for a slug among the terms of the language, and for an id among all.
		if t := c.blog.findTerm(tax, s); t != nil && (s == itoa(t.id) || c.lang == nil || t.lang == c.lang) {
			ids = append(ids, t.id)
		}
	}
	return ids
}

func overlap(a, b []int) bool {
	return slices.ContainsFunc(a, func(n int) bool { return slices.Contains(b, n) })
}

// searchWords are what a search must find, all of it: words, or one phrase in
// quotes.
func searchWords(s string) []string {
	s = fold(strings.TrimSpace(s))
	if phrase, err := strconv.Unquote(s); err == nil {
		return []string{phrase}
	}
	return strings.Fields(s)
}

func hasWords(words []string, texts ...string) bool {
	if len(words) == 0 {
		return true
	}
	all := fold(strings.Join(texts, "\n"))
	for _, w := range words {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
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

// statusPair is the status in links. An empty one leaves a mark without a name.
func statusPair(status string) pair {
	if status == "" {
		return pair{}
	}
	return pair{"status", status}
}

// statusParam is the status as it shows in links.
func (c *call) statusParam() string {
	if c.params.given("status") && isEmpty(c.params["status"]) {
		return ""
	}
	if statuses := c.params.list("status"); statuses != nil {
		return strings.Join(statuses, ",")
	}
	if c.user.createsPost() {
		return "any"
	}
	return "publish"
}
