package sim

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// tecList lists the posts of a kind. Posts that the user may not read count, and are left out.
func (c *call) tecList() (*answer, error) {
	k := c.route.kind
	posts := c.tecFound(k)
	p := c.paging(len(posts), math.MaxInt)
	if p.beyond() {
		return &answer{status: 404, failed: true, body: object{
			{"code", "tec_rest_organizers_page_not_found"}, {"message", "The requested page was not found."},
		}}, nil
	}
	readable := slices.DeleteFunc(slice(posts, p), func(p *post) bool { return !c.user.reads(p) })
	items := each(readable, func(p *post) object { return c.tecPost(p, false) })
	return c.wpList(items, p, tecNamespace+"/"+k.resource(), c.pageQuery()), nil
}

// tecStatuses are the statuses of a list: who may not write is shown published events, whatever
// the request names.
func (c *call) tecStatuses() []string {
	if statuses := c.params.list("status"); statuses != nil && c.user.createsPost() {
		return statuses
	}
	return []string{"publish"}
}

// tecFound are the posts of a list, in the order of the list. Parameters that are checked and have no
// effect are not looked at: categories, tags, ticketed, has_events and only_with_upcoming.
func (c *call) tecFound(k kind) []*post {
	statuses := c.tecStatuses()
	words := searchWords(c.params.str("search"))
	pass := filters[*post]{
		func(p *post) bool { return slices.Contains(statuses, p.status) },
		func(p *post) bool { return hasWords(words, p.title, p.content, p.excerpt) },
	}
	if k == eventKind {
		pass = append(pass, c.tecEventFilters()...)
	} else if e := c.blog.find(eventKind, c.params.int("event")); e != nil {
		// An unknown event is no filter.
		ids := definition(&post{item: item{kind: k}}).linked(e.event)
		pass = append(pass, func(p *post) bool { return slices.Contains(ids, p.id) })
	}
	posts := c.blog.selectPosts(k, pass.pass)
	c.tecSort(k, posts)
	return posts
}

// tecSort puts the newest venues and organizers first, and events in the order of the
// request.
func (c *call) tecSort(k kind, posts []*post) {
	order := newestFirst
	if k == eventKind {
		ascending := tecOrders[cmp.Or(c.params.str("orderby"), "event_date")]
		order = ascending
		if c.params.str("order") == "DESC" {
			order = func(a, b *post) int { return ascending(b, a) }
		}
	}
	slices.SortStableFunc(posts, order)
}

var tecOrders = map[string]func(a, b *post) int{
	"event_date": byStart,
	"date":       func(a, b *post) int { return a.date.Compare(b.date) },
	"modified":   func(a, b *post) int { return a.modified.Compare(b.modified) },
	"title":      func(a, b *post) int { return cmp.Compare(fold(a.title), fold(b.title)) },
	"menu_order": func(a, b *post) int { return 0 },
}

// tecEventFilters are exact to the second. There is no window unless the request has one,
// and events that are hidden from listings are listed.
func (c *call) tecEventFilters() (pass filters[*post]) {
	for _, name := range slices.Concat(windowDates, otherDates) {
		limit, ok := c.tecBound(name)
		pass.addIf(ok, func(p *post) bool {
			e := p.event
			switch name {
			case "start_date":
				return !e.start.Before(limit)
			case "end_date":
				return !e.end.After(limit)
			}
			return bound{name: name, date: limit}.holds(e)
		})
	}
	input := c.params
	venues := input.ints("venue")
	organizers := input.ints("organizer")
	parent, _ := positive(input["post_parent"])
	pass.addIf(input.isGiven("venue"), func(p *post) bool { return overlap(p.event.venues, venues) })
	pass.addIf(input.isGiven("organizer"), func(p *post) bool { return overlap(p.event.organizers, organizers) })
	pass.addIf(input.isGiven("featured"), func(p *post) bool { return p.event.featured == phpTrue(input["featured"]) })
	pass.addIf(input.isGiven("post_parent"), func(p *post) bool { return p.parent == parent })
	return pass
}

// tecBound is a date of the request. A zero is now.
func (c *call) tecBound(name string) (time.Time, bool) {
	switch s := c.params.str(name); s {
	case "":
		return time.Time{}, false
	case "0":
		return c.now, true
	default:
		return parseDate(s, c.now, c.root.lang.zone)
	}
}
