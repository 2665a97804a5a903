package sim

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

func (d postDef) listEvents(c *call) (*answer, error) {
	posts := c.blog.selectPosts(eventKind, c.eventFilters().pass)
	slices.SortStableFunc(posts, byStart)
	p := c.paging(len(posts))
	q := c.eventQuery(p)
	return d.postList(c, posts, p, c.renderListed, q.raw(), q.without("page"))
}

// eventQuery is the query of the links of a list. The links lose filters: categories,
// tags, strict_dates, featured=false and the language.
func (c *call) eventQuery(p paging) query {
	q := query{{"page", itoa(p.page)}, {"per_page", itoa(p.per)}}
	for _, b := range c.bounds() {
		q = append(q, pair{name: b.name, value: b.date.Format(dateTime)})
	}
	q = append(q, pair{name: "status", value: c.statusParam()})
	for _, name := range []string{"search", "include", "post_parent", "venue", "organizer"} {
		value := strings.Join(c.params.list(name), ",")
		if value != "" {
			q = append(q, pair{name: name, value: value})
		}
	}
	if c.params.bool("featured") {
		q = append(q, pair{name: "featured", value: "1"})
	}
	return q
}

// byStart is the order of events by the time on their own clocks.
func byStart(a, b *post) int { return cmp.Compare(onClock(a.event.start), onClock(b.event.start)) }

// onClock is the time that a clock shows in the zone of t, in seconds since 1970 on that clock.
func onClock(t time.Time) int64 {
	_, offset := t.Zone()
	return t.Unix() + int64(offset)
}

// defaultStart is yesterday's last minute by UTC, shown in the site's zone.
func (c *call) defaultStart() time.Time {
	return midnight(c.now.UTC()).Add(-time.Minute).In(c.root.lang.zone)
}

// defaultEnd is two years ahead. The time in UTC counts as the site's.
func (c *call) defaultEnd() time.Time {
	return localTime(c.now.UTC().AddDate(0, 24, 0), c.root.lang.zone)
}

// bound is one date filter that is in force.
type bound struct {
	name string
	date time.Time
}

// holds compares the event with the bound. start_date and end_date make a
// window that an event has to overlap, not to lie in.
func (b bound) holds(e *eventData) bool {
	switch b.name {
	case "start_date":
		return e.end.After(b.date) || e.start.Equal(b.date)
	case "end_date", "starts_before":
		return e.start.Before(b.date)
	case "starts_after":
		return e.start.After(b.date)
	case "ends_before":
		return e.end.Before(b.date)
	default: // ends_after
		return e.end.After(b.date)
	}
}

var (
	windowDates = []string{"start_date", "end_date"}
	otherDates  = []string{"starts_before", "starts_after", "ends_before", "ends_after"}
)

// bounds reads the date filters. A window date that is not present has the default, unless one of the four
// other filters is present. With include, the values of the window are ignored.
func (c *call) bounds() []bound {
	explicit := slices.ContainsFunc(otherDates, c.params.isGiven)
	var out []bound
	for _, name := range windowDates {
		date := c.defaultEnd()
		hasValue := c.params.isGiven(name)
		if name == "start_date" {
			date = c.defaultStart()
		}
		ok := hasValue || !explicit
		switch {
		case c.params.isGiven("include"):
		case hasValue:
			date, ok = c.dateBound(name)
		default:
			date = c.rounded(name, date)
		}
		if ok {
			out = append(out, bound{name: name, date: date})
		}
	}
	for _, name := range otherDates {
		if date, ok := c.dateBound(name); ok && c.params.isGiven(name) {
			out = append(out, bound{name: name, date: date})
		}
	}
	return out
}

// dateBound is a date of a request, read in UTC. A strict date is converted to the time of the site, and a
// rounded date counts as the time of the site. A text that is empty for PHP is now. A number with a sign or
// an exponent passes the check, and is no date.
func (c *call) dateBound(name string) (time.Time, bool) {
	s := c.params.str(name)
	if isEmpty(s) {
		s = "now"
	}
	t, ok := readDate(s, c.now, time.UTC)
	if c.params.bool("strict_dates") {
		return t.In(c.root.lang.zone), ok
	}
	return c.rounded(name, localTime(t.UTC(), c.root.lang.zone)), ok
}

// rounded is the beginning of a day for start_date, and the end of a day for all other filters, unless dates
// are strict.
func (c *call) rounded(name string, t time.Time) time.Time {
	switch {
	case c.params.bool("strict_dates"):
		return t
	case name == "start_date":
		return midnight(t)
	}
	return endOfDay(t)
}

// eventFilters select the listed events.
func (c *call) eventFilters() filters[*post] {
	words := searchWords(c.params.str("search"))
	statuses := c.listStatuses()
	bounds := c.bounds()
	pass := filters[*post]{func(p *post) bool {
		return c.lists(&p.item) && slices.Contains(statuses, p.status) && !p.event.hidden && hasWords(words, p.title, p.content, p.excerpt)
	}, func(p *post) bool {
		return !slices.ContainsFunc(bounds, func(b bound) bool { return !b.holds(p.event) })
	}}
	addFilter := func(name string, f func(*post) bool) { pass.addIf(c.params.isGiven(name), f) }
	categories := c.blog.withDescendants(c.termIDs(categoryTaxonomy, "categories"))
	tags := c.termIDs(tagTaxonomy, "tags")
	venues := c.withTranslations(c.params.ints("venue"))
	organizers := c.withTranslations(c.params.ints("organizer"))
	addFilter("categories", func(p *post) bool { return overlap(p.event.categories, categories) })
	addFilter("tags", func(p *post) bool { return overlap(p.event.tags, tags) })
	addFilter("venue", func(p *post) bool { return overlap(p.event.venues, venues) })
	addFilter("organizer", func(p *post) bool { return overlap(p.event.organizers, organizers) })
	addFilter("featured", func(p *post) bool { return p.event.featured == c.params.bool("featured") })
	addFilter("include", func(p *post) bool { return slices.Contains(c.params.ints("include"), p.id) })
	addFilter("post_parent", func(p *post) bool { return p.parent == c.params.int("post_parent") })
	return pass
}
