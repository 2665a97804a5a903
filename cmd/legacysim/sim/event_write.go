package sim

import (
	"strings"
	"time"
)

// writeEvent writes the fields of the request, and resets most others: no method of the site is a patch.
// Items made on the way, such as a venue, stay after an error.
func (c *call) writeEvent(p *post) error {
	input := c.params
	venues, err := venueDef.writtenPlaces(c, []any{input["venue"]})
	if err != nil {
		return err
	}
	organizers, err := organizerDef.writtenPlaces(c, elements(input["organizer"]))
	if err != nil {
		return err
	}
	fresh := p.id == 0
	if err := c.savePost(p, c.eventChange()); err != nil {
		return err
	}
	c.applyEvent(p, fresh)
	p.event.organizers = organizers
	if venues != nil {
		p.event.venues = venues
	}
	return nil
}

// eventChange sets a new date with each write that names no date.
func (c *call) eventChange() postChange {
	input := c.params
	change := postChange{
		title: input.text("title"), content: input.text("description"), excerpt: input.text("excerpt"),
		author: input.int("author"), status: c.newStatus(input),
	}
	change.date, change.dateUTC = c.writtenDates(input)
	if !c.bySlug { // the slug in the path names the event
		change.slug = input.text("slug")
	}
	return change
}

func (c *call) applyEvent(p *post, fresh bool) {
	input := c.params
	e := p.event
	p.image = c.imageID(input)
	c.applyDates(e)
	e.cost, e.symbol, e.symbolAfter = writtenCost(input["cost"], fresh)
	if site := websiteOf(input); site != "" || !fresh {
		e.website = &site
	}
	e.showMap = input.bool("show_map")
	e.mapLink = input.bool("show_map_link")
	e.hidden = input.bool("hide_from_listings")
	e.sticky = input.bool("sticky")
	e.featured = input.bool("featured")
	if v, ok := input["categories"]; ok {
		e.categories = c.writtenTerms(categoryTaxonomy, v)
	}
	if v, ok := input["tags"]; ok {
		e.tags = c.writtenTerms(tagTaxonomy, v)
	}
}

func websiteOf(input params) string {
	if isEmpty(input["website"]) {
		return ""
	}
	return input.str("website")
}

// applyDates needs both dates: one alone changes nothing. Without them the clock
// times stay, and so do those in UTC, in whatever zone the event is now. A zone in a
// date is dropped. An end before the start becomes the start, but not in UTC.
func (c *call) applyDates(e *eventData) {
	input := c.params
	e.zone = c.root.lang.zone.String()
	if zone := input["timezone"]; !isEmpty(zone) {
		e.zone = strings.TrimSpace(scalar(zone))
	}
	loc := zone(e.zone)
	start, okStart := readDate(input.str("start_date"), c.now, time.UTC)
	end, okEnd := readDate(input.str("end_date"), c.now, time.UTC)
	bothGiven := okStart && okEnd && input.isGiven("start_date") && input.isGiven("end_date")
	if !bothGiven {
		start = e.start
		end = e.end
	}
	e.allDay = input.bool("all_day")
	if e.allDay {
		start = midnight(start).Add(c.site.opts.Setup.DayEnds)
		end = endOfDay(end).Add(c.site.opts.Setup.DayEnds)
	}
	e.start = localTime(start, loc)
	e.end = localTime(end, loc)
	if bothGiven || e.allDay {
		e.utcStart = e.start.UTC()
		e.utcEnd = e.end.UTC()
	}
	if e.end.Before(e.start) {
		e.end = e.start
	}
}
