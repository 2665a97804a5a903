package sim

import (
	"time"
)

func (c *call) createEvent() (*answer, error) {
	p := &post{kind: eventKind, author: c.user.ID, status: c.newStatus(c.params), date: c.now, modified: c.now, event: &eventData{}}
	p.undated = p.status == "draft" || p.status == "pending"
	p.neverModified = p.undated
	c.blog.addPost(p)
	c.applyEvent(p)
	return &answer{status: 201, body: c.renderEvent(p, false)}, nil
}

func (c *call) updateEvent() (*answer, error) {
	p, err := c.event()
	if err != nil {
		return nil, err
	}
	if !c.changesEvent() {
		return ok(c.renderEvent(p, false))
	}
	c.restore(p)
	if c.params.given("status") {
		p.status = c.newStatus(c.params)
	}
	p.date, p.modified, p.neverModified = c.now, c.now, false
	p.undated = p.undated && p.status != "publish"
	c.resetEvent(p.event)
	c.applyEvent(p)
	return ok(c.renderEvent(p, false))
}

func (c *call) deleteEvent() (*answer, error) {
	p, err := c.event()
	if err != nil {
		return nil, err
	}
	if err := c.trash(p, "event"); err != nil {
		return nil, err
	}
	return ok(c.renderEvent(p, false))
}

// changesEvent says whether any field of an event is given; slug counts only
// where it does not name the event.
func (c *call) changesEvent() bool {
	for _, a := range eventFields {
		if c.params.given(a.name) && (a.name != "slug" || c.params.given("id")) {
			return true
		}
	}
	return false
}

// resetEvent is the harm that every update does, whatever it changes: these
// are lost unless they are sent again.
func (c *call) resetEvent(e *eventData) {
	none := ""
	e.cost, e.symbol, e.website = "", "", &none
	e.showMap, e.mapLink, e.hidden, e.sticky, e.featured = false, false, false, false, false
	e.organizers = nil
}

// applyEvent writes the fields that are given.
func (c *call) applyEvent(p *post) {
	c.applyPost(p)
	c.applyDates(p.event)
	e, in := p.event, c.params
	if in.given("cost") {
		e.cost = in.str("cost")
	}
	if in.given("website") {
		site := in.str("website")
		e.website = &site
	}
	e.showMap, e.mapLink = in.bool("show_map"), in.bool("show_map_link")
	e.hidden, e.sticky, e.featured = in.bool("hide_from_listings"), in.bool("sticky"), in.bool("featured")
	if in.given("categories") {
		e.categories = c.writtenCategories(in.list("categories"))
	}
	if in.given("tags") {
		e.tags = c.writtenTags(in.list("tags"))
	}
	// An empty list unlinks nothing.
	if ids := c.writtenPlaces(venueDef, in["venue"]); ids != nil {
		e.venues = ids
	}
	if ids := c.writtenPlaces(organizerDef, in["organizer"]); ids != nil {
		e.organizers = ids
	}
}

func (c *call) applyPost(p *post) {
	in := c.params
	text := func(to *string, name string) {
		if in.given(name) {
			*to = c.clean(in.str(name))
		}
	}
	text(&p.title, "title")
	text(&p.content, "description")
	text(&p.excerpt, "excerpt")
	if in.given("author") {
		p.author = in.int("author")
	}
	if in.given("image") {
		p.image = c.imageID(in)
	}
	for name, loc := range map[string]*time.Location{"date": c.root.lang.zone, "date_utc": time.UTC} {
		if at, ok := parseDate(in.str(name), c.now, loc); ok {
			p.date, p.undated = at, false
		}
	}
	if p.status == "publish" && p.date.After(c.now) {
		p.status = "future"
	}
	c.applySlug(p)
}

// applySlug gives a slug to what is published and has none yet.
func (c *call) applySlug(p *post) {
	switch {
	case c.params.given("slug"):
		p.slug = c.blog.freeSlug(eventKind, slugify(c.params.str("slug")), p.id)
	case p.slug == "" && !p.undated:
		p.slug = c.blog.freeSlug(eventKind, slugify(p.title), p.id)
	}
}

// applyDates needs both dates: one alone changes nothing. An end before the
// start becomes the start.
func (c *call) applyDates(e *eventData) {
	in, zone := c.params, e.start.Location()
	if e.start.IsZero() {
		zone = c.root.lang.zone
	}
	if loc, ok := eventZone(in.str("timezone")); ok {
		zone = loc
	}
	start, okStart := parseDate(in.str("start_date"), c.now, zone)
	end, okEnd := parseDate(in.str("end_date"), c.now, zone)
	if !okStart || !okEnd {
		start, end = wall(e.start, zone), wall(e.end, zone)
	}
	e.allDay = in.bool("all_day") || e.allDay && !in.given("all_day")
	if e.allDay {
		start, end = midnight(start), endOfDay(end)
	}
	if okStart && okEnd {
		e.endAsked = time.Time{}
	}
	if end.Before(start) {
		e.endAsked, end = end, start
	}
	e.start, e.end = start, end
}

// writtenPlaces links what is there and creates what is not.
func (c *call) writtenPlaces(d placeDef, v any) []int {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		var ids []int
		for _, item := range v {
			ids = append(ids, c.writtenPlaces(d, item)...)
		}
		return ids
	case map[string]any:
		if in := params(v); !in.given("id") {
			return []int{d.make(c, in).id}
		}
		return params(v).ints("id")
	}
	return params{"ids": v}.ints("ids")
}
