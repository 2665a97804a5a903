package sim

import (
	"slices"
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
	site := websiteOf(input)
	if site != "" || !fresh {
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
	name := input["timezone"]
	if !isEmpty(name) {
		e.zone = strings.TrimSpace(scalar(name))
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

// writtenTerms returns the ids that an event gets for the requested categories or tags: numbers of terms that
// there are, and words, which become terms. Tags show a slip of the plugin: the slug of a tag becomes the
// tag's id, and WordPress reads that id as the name of a tag. A request for the tag "free" adds a tag called
// "34" to the event. Of the same tag twice, by slug and by number, the first counts.
func (c *call) writtenTerms(tax kind, v any) []int {
	var termIDs, ids []int
	for _, item := range termItems(v) {
		t, existed := c.writtenTerm(tax, item)
		if t == nil || slices.Contains(termIDs, t.id) {
			continue
		}
		termIDs = append(termIDs, t.id)
		if _, ok := number(item); existed && !ok && tax == tagTaxonomy {
			t, _ = c.writtenWord(tax, itoa(t.id))
		}
		ids = append(ids, t.id)
	}
	return ids
}

// writtenTerm is the term that a number or a word stands for, and whether the term existed before. An unknown
// number has no term.
func (c *call) writtenTerm(tax kind, item any) (t *term, existed bool) {
	if id, ok := number(item); ok {
		t := c.blog.term(tax, id)
		return t, t != nil
	}
	return c.writtenWord(tax, strings.TrimSpace(scalar(item)))
}

// writtenWord makes a term of an unknown name or slug.
func (c *call) writtenWord(tax kind, word string) (t *term, existed bool) {
	t = c.blog.termByWord(tax, word)
	if t != nil {
		return t, true
	}
	if word == "" {
		return nil, false
	}
	return c.blog.newTerm(tax, storedName(word), "", 0), false
}

// Venues and organizers of an event can be ids, or objects with the fields of new ones. The two resources
// differ unexpectedly: an event can have several organizers, and a single object counts as a list of values.

// writtenPlaces returns the ids of the venues or organizers in a request, each once: numbers, and the ids of
// new items. A list in a list is ignored.
func (d postDef) writtenPlaces(c *call, items []any) ([]int, error) {
	var ids []int
	for _, v := range items {
		if isEmpty(v) {
			continue
		}
		id, _ := number(v)
		fields, _ := v.(map[string]any)
		if !isEmpty(fields["id"]) {
			id = params(fields).int("id")
		} else if !isEmpty(fields[d.name]) {
			p, err := d.makePlace(c, fields)
			if err != nil {
				return nil, err
			}
			id = p.id
		}
		if id == 0 {
			return nil, d.failed(c)
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
