package sim

import (
	"cmp"
	"slices"
)

// tecFound are the posts of a list, in its order.
func (c *call) tecFound(k kind) []*post {
	statuses := c.tecStatuses()
	words := searchWords(c.params.str("search"))
	pass := []func(*post) bool{
		func(p *post) bool { return slices.Contains(statuses, p.status) },
		func(p *post) bool {
			return !c.site.opts.TECSlugs || !c.params.given("slug") || p.slug == c.params.str("slug")
		},
	}
	if k != eventKind {
		d := definition(&post{kind: k})
		pass = append(pass, d.filters(c)[1:]...) // less that of the status
		found := d.sorted(c, pass...)
		if words != nil {
			found = slices.DeleteFunc(found, func(p *post) bool { return !d.mentions(p, words) })
		}
		return found
	}
	pass = append(pass, c.tecEventFilters()...)
	pass = append(pass, func(p *post) bool { return hasWords(words, p.title, p.content, p.excerpt) })
	found := c.blog.all(eventKind, func(p *post) bool {
		return !slices.ContainsFunc(pass, func(f func(*post) bool) bool { return !f(p) })
	})
	slices.SortStableFunc(found, func(a, b *post) int {
		return cmp.Compare(a.event.start.Format(dateTime), b.event.start.Format(dateTime))
	})
	return found
}

// tecEventFilters are exact to the second. There is no window unless the
// request has one, and events that are hidden from listings are listed.
func (c *call) tecEventFilters() []func(*post) bool {
	var pass []func(*post) bool
	for _, name := range tecDates {
		at, ok := parseDate(c.params.str(name), c.now, c.root.lang.zone)
		if !ok {
			continue
		}
		pass = append(pass, func(p *post) bool {
			e := p.event
			switch name {
			case "start_date":
				return !e.start.Before(at)
			case "end_date":
				return !e.end.After(at)
			}
			return bound{name, at}.holds(e)
		})
	}
	in := func(name string, ids func(*eventData) []int, wanted []int) {
		if c.params.given(name) {
			pass = append(pass, func(p *post) bool { return overlap(ids(p.event), wanted) })
		}
	}
	in("categories", func(e *eventData) []int { return e.categories }, c.blog.withDescendants(c.params.ints("categories")))
	in("tags", func(e *eventData) []int { return e.tags }, c.params.ints("tags"))
	in("venue", func(e *eventData) []int { return e.venues }, c.params.ints("venue"))
	in("organizer", func(e *eventData) []int { return e.organizers }, c.params.ints("organizer"))
	if c.params.given("featured") {
		want := phpTrue(c.params["featured"])
		pass = append(pass, func(p *post) bool { return p.event.featured == want })
	}
	if c.params.given("post_parent") {
		pass = append(pass, func(p *post) bool { return p.parent == c.params.int("post_parent") })
	}
	return pass
}

// phpTrue is PHP's cast to a boolean, for which "false" is true.
func phpTrue(v any) bool {
	b, isBool := v.(bool)
	return isBool && b || !isBool && scalar(v) != "" && scalar(v) != "0"
}
