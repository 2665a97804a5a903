package sim

import (
	"strings"
	"time"
)

// writeEvent writes the fields of the request, and resets most others: no method of the
// site is a patch. What it makes on the way, such as a venue, is left behind by an
// error.
func (c *call) writeEvent(p *post) error {
	in := c.params
	if nested(in["categories"]) || nested(in["tags"]) || nested(in["cost"]) {
		return c.fatal()
	}
	venues, err := venueDef.writtenPlaces(c, []any{in["venue"]})
	if err != nil {
		return err
	}
	organizers, err := organizerDef.writtenPlaces(c, elements(in["organizer"]))
	if err != nil {
		return err
	}
	fresh := p.id == 0
	if err := c.savePost(p, c.eventChange()); err != nil {
		return err
	}
	if in.bool("sticky") != p.event.sticky { // a second save, of the place in the order
		p.modified = c.now
		p.modifiedUTC = c.now
	}
	c.applyEvent(p, fresh)
	p.event.organizers = organizers
	if venues != nil {
		p.event.venues = venues
	}
	return nil
}

// eventChange sets a new date with each write that names none.
func (c *call) eventChange() postChange {
	in := c.params
	change := postChange{
		title: in.text("title"), content: in.text("description"), excerpt: in.text("excerpt"),
		author: in.int("author"), status: c.newStatus(in),
	}
	change.date, change.dateUTC = c.writtenDates(in)
	if !c.bySlug { // where it names the event
		change.slug = in.text("slug")
	}
	return change
}

func (c *call) applyEvent(p *post, fresh bool) {
	in := c.params
	e := p.event
	p.image = c.imageID(in)
	c.applyDates(e)
	e.cost, e.symbol, e.symbolAfter = writtenCost(in["cost"], fresh)
	if site := websiteOf(in); site != "" || !fresh {
		e.website = &site
	}
	e.showMap = in.bool("show_map")
	e.mapLink = in.bool("show_map_link")
	e.hidden = in.bool("hide_from_listings")
	e.sticky = in.bool("sticky")
	e.featured = in.bool("featured")
	if v, there := in["categories"]; there {
		e.categories = c.writtenTerms(categoryTaxonomy, v)
	}
	if v, there := in["tags"]; there {
		e.tags = c.writtenTerms(tagTaxonomy, v)
	}
}

func websiteOf(in params) string {
	if isEmpty(in["website"]) {
		return ""
	}
	return in.str("website")
}

// applyDates needs both dates: one alone changes nothing. Without them the clock
// times stay, and so do those in UTC, in whatever zone the event is now. A zone in a
// date is dropped. An end before the start becomes the start, but not in UTC.
func (c *call) applyDates(e *eventData) {
	in := c.params
	e.zone = c.root.lang.zone.String()
	if zone := in["timezone"]; !isEmpty(zone) {
		e.zone = strings.TrimSpace(scalar(zone))
	}
	loc, ok := eventZone(e.zone)
	if !ok {
		panic("BUG: a time zone that was not checked: " + e.zone)
	}
	start, okStart := strtotime(in.str("start_date"), c.now, time.UTC)
	end, okEnd := strtotime(in.str("end_date"), c.now, time.UTC)
	both := okStart && okEnd && in.given("start_date") && in.given("end_date")
	if !both {
		start = e.start
		end = e.end
	}
	e.allDay = in.bool("all_day")
	if e.allDay {
		start = midnight(start).Add(c.site.opts.Setup.DayEnds)
		end = endOfDay(end).Add(c.site.opts.Setup.DayEnds)
	}
	e.start = localTime(start, loc)
	e.end = localTime(end, loc)
	e.length = nil
	if both || e.allDay {
		e.utcStart = e.start.UTC()
		e.utcEnd = e.end.UTC()
	}
	if e.end.Before(e.start) {
		e.end = e.start
	}
}
