package sim

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

func (c *call) listEvents() (*answer, error) {
	found := c.blog.all(eventKind, every(c.eventFilters()))
	sortByStart(found)
	p := c.paging(len(found), maxPerPage)
	if p.beyond() {
		return nil, c.root.lang.fail(404, "event-archive-page-not-found", "The requested event archive page does not exist")
	}
	items := each(slice(found, p), c.renderListed)
	base, extra := c.eventQuery(p)
	self := base.raw() + extra.behind()
	if c.params.given("venue") || c.params.given("organizer") || c.params.given("featured") {
		self = base.encoded() + extra.behind()
	}
	return c.postList("events", items, p, self, append(base.without("page"), extra...)), nil
}

// eventQuery is the query of the links of a list. It loses filters: categories,
// tags, strict_dates, featured=false and the language.
func (c *call) eventQuery(p paging) (base, extra query) {
	base = query{{"page", itoa(p.page)}, {"per_page", itoa(p.per)}}
	bounds := c.bounds()
	dates := func(window bool) {
		for _, b := range bounds {
			if (b.name == "start_date" || b.name == "end_date") == window {
				base = append(base, pair{b.name, b.at.Format(dateTime)})
			}
		}
	}
	add := func(q *query, name, value string) {
		if c.params.given(name) && value != "" {
			*q = append(*q, pair{name, value})
		}
	}
	dates(true)
	add(&base, "search", c.params.str("search"))
	if c.params.bool("geoloc") {
		base = append(base, pair{"geoloc", "1"})
		for _, name := range []string{"geoloc_lat", "geoloc_lng"} {
			base = append(base, pair{name, strings.Join(c.params.list(name), ",")})
		}
	}
	base = append(base, statusPair(c.statusParam()))
	add(&base, "include", strings.Join(c.params.list("include"), ","))
	add(&base, "post_parent", c.params.str("post_parent"))
	dates(false)
	add(&extra, "venue", strings.Join(c.params.list("venue"), ","))
	add(&extra, "organizer", strings.Join(c.params.list("organizer"), ","))
	if c.params.bool("featured") {
		extra = append(extra, pair{"featured", "1"})
	}
	return base, extra
}

// sortByStart sorts events by the time on their own clocks.
func sortByStart(events []*post) {
	slices.SortStableFunc(events, func(a, b *post) int { return cmp.Compare(onClock(a.event.start), onClock(b.event.start)) })
}

// onClock is the time that a clock shows in the zone of t, in seconds since 1970 on it.
func onClock(t time.Time) int64 {
	_, offset := t.Zone()
	return t.Unix() + int64(offset)
}
