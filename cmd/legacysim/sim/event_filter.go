package sim

import (
	"slices"
	"strconv"
	"strings"
)

// eventFilters select the listed events.
func (c *call) eventFilters() []func(*post) bool {
	words, statuses, bounds := searchWords(c.params.str("search")), c.listStatuses(), c.bounds()
	pass := []func(*post) bool{c.listsPost, func(p *post) bool {
		return slices.Contains(statuses, p.status) && !p.event.hidden && hasWords(words, p.title, p.content, p.excerpt)
	}, func(p *post) bool {
		return !slices.ContainsFunc(bounds, func(b bound) bool { return !b.holds(p.event) })
	}}
	when := func(name string, f func(*post) bool) {
		if c.params.given(name) {
			pass = append(pass, f)
		}
	}
	categories, tags := c.blog.withDescendants(c.termIDs(categoryTaxonomy, "categories")), c.termIDs(tagTaxonomy, "tags")
	venues, organizers := c.withTranslations(c.params.ints("venue")), c.withTranslations(c.params.ints("organizer"))
	when("categories", func(p *post) bool { return overlap(p.event.categories, categories) })
	when("tags", func(p *post) bool { return overlap(p.event.tags, tags) })
	when("venue", func(p *post) bool { return overlap(p.event.venues, venues) })
	when("organizer", func(p *post) bool { return overlap(p.event.organizers, organizers) })
	when("featured", func(p *post) bool { return p.event.featured == c.params.bool("featured") })
	when("include", func(p *post) bool { return slices.Contains(c.params.ints("include"), p.id) })
	when("post_parent", func(p *post) bool { return p.parent == c.params.int("post_parent") })
	return pass
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
