package sim

import (
	"slices"
	"strings"
	"time"
)

// renderListed is an event in a list, where a password hides all but the head, the slug and the dates.
func (c *call) renderListed(p *post) object {
	texts, properties := c.eventFields(p, false)
	if c.locked(p) {
		texts.hide().set("slug", p.slug)
		texts.set("image", false)
		properties.hide().set("cost_details", object{
			{"currency_symbol", ""}, {"currency_position", ""}, {"currency_code", ""}, {"values", list{}},
		})
	}
	return slices.Concat(c.eventHead(p), texts, eventDates(p.event), properties)
}

// renderEvent is the record of an event. json_ld comes only with a single one
// that is read, and never with an event that has a password.
func (c *call) renderEvent(p *post, single bool) object {
	texts, properties := c.eventFields(p, single)
	if single && p.password == "" {
		properties = properties.with("json_ld", c.eventLD(p))
	}
	return slices.Concat(c.eventHead(p), texts, eventDates(p.event), properties)
}

// eventFields are the fields that a password protects, before and behind the dates.
func (c *call) eventFields(p *post, single bool) (texts, properties object) {
	e := p.event
	lang := c.root.lang
	texts = object{
		{"description", content(p.content, lang)},
		{"excerpt", content(p.excerpt, lang)},
		{"slug", p.slug},
		{"image", c.renderImage(p.image)},
		{"all_day", e.allDay},
	}
	return texts, object{
		{"cost", costText(e, lang)},
		{"cost_details", costDetails(e)},
		{"website", c.eventWebsite(p)},
		{"show_map", e.showMap},
		{"show_map_link", e.mapLink},
		{"hide_from_listings", e.hidden},
		{"sticky", e.sticky},
		{"featured", e.featured},
		{"categories", c.embeddedTerms(e.categories)},
		{"tags", c.embeddedTerms(e.tags)},
		{"venue", c.eventVenue(e, single)},
		{"organizer", c.embeddedPlaces(e.organizers, single)},
		{"custom_fields", list{}},
	}
}

func (c *call) eventHead(p *post) object {
	return slices.Concat(object{{"id", p.id}}, c.globalIDs(p), c.postHead(p), object{
		{"rest_url", c.restURL("events/" + itoa(p.id))},
		{"title", texturize(p.title, c.root.lang)},
	})
}

func eventDates(e *eventData) object {
	var o object
	add := func(name string, t time.Time) {
		o = o.with(name, t.Format(dateTime)).with(name+"_details", object{
			{"year", t.Format("2006")}, {"month", t.Format("01")}, {"day", t.Format("02")},
			{"hour", t.Format("15")}, {"minutes", t.Format("04")}, {"seconds", t.Format("05")},
		})
	}
	add("start_date", e.start)
	add("end_date", e.end)
	add("utc_start_date", e.utcStart)
	add("utc_end_date", e.utcEnd)
	return append(o, object{{"timezone", e.zone}, {"timezone_abbr", abbreviation(e.zone, e.start)}}...)
}

// eventWebsite is the event's own page until a website is written. A create does not write an empty website,
// and each update does.
func (c *call) eventWebsite(p *post) string {
	if p.event.website == nil {
		return c.permalink(p)
	}
	return strings.NewReplacer("&", "&amp;", `"`, "&quot;", ">", "&gt;").Replace(anyTag.ReplaceAllString(*p.event.website, ""))
}

func (c *call) eventVenue(e *eventData, single bool) any {
	venues := c.embeddedPlaces(e.venues, single)
	if len(venues) == 1 {
		return venues[0]
	}
	return venues
}

// eventLD is the schema.org record of an event.
func (c *call) eventLD(p *post) object {
	e := p.event
	lang := c.root.lang
	description := content(p.excerpt, lang)
	if description == "" {
		description = content(p.content, lang)
	}
	o := object{
		{"@context", "http://schema.org"},
		{"@type", "Event"},
		{"name", texturize(p.title, lang)},
		{"description", ldDescription(description)},
	}
	o = c.ldImage(o, p)
	o = append(o, object{
		{"url", c.permalink(p)},
		{"eventAttendanceMode", "https://schema.org/OfflineEventAttendanceMode"},
		{"eventStatus", "https://schema.org/EventScheduled"},
		{"startDate", phpISO(e.start)},
		{"endDate", phpISO(e.end)},
	}...)
	if len(e.venues) > 0 {
		o = o.with("location", c.ldPlace(e.venues[0]))
	}
	if len(e.organizers) > 0 {
		o = o.with("organizer", c.ldPlace(e.organizers[0]))
	}
	if e.cost != "" {
		o = o.with("offers", c.ldOffer(p))
	}
	return o.with("performer", "Organization")
}

// ldPlace is false for a venue that hides behind a password.
func (c *call) ldPlace(id int) any {
	for _, p := range c.shownPosts([]int{id}) {
		if !c.locked(p) {
			return c.placeLD(p)
		}
	}
	return false
}

func (c *call) ldOffer(p *post) object {
	return object{
		{"@type", "Offer"},
		{"price", p.event.costWith("")},
		{"priceCurrency", c.root.lang.Currency},
		{"url", c.permalink(p)},
		{"category", "primary"},
		{"availability", "inStock"},
		{"validFrom", midnight(p.date.UTC()).Format("2006-01-02T15:04:05+00:00")},
	}
}
