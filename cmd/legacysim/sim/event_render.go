package sim

import (
	"strings"
	"time"
)

// renderListed is an event in a list, where a password blanks it.
func (c *call) renderListed(p *post) object {
	if c.locked(p) {
		return c.renderLocked(p)
	}
	return c.renderEvent(p, false)
}

// renderEvent is the record of an event. json_ld comes only with a single one
// that is read, and never with one that has a password.
func (c *call) renderEvent(p *post, single bool) object {
	e, lang := p.event, c.root.lang
	o := c.eventHead(p)
	o = append(o, object{
		{"description", content(p.content, lang)},
		{"excerpt", content(p.excerpt, lang)},
		{"slug", p.slug},
		{"image", c.renderImage(p.image)},
		{"all_day", e.allDay},
	}...)
	o = append(o, eventDates(e)...)
	o = append(o, object{
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
	}...)
	if single && p.password == "" {
		o = o.with("json_ld", c.eventLD(p))
	}
	return o
}

// renderLocked blanks what the password protects; the dates are not.
func (c *call) renderLocked(p *post) object {
	o := append(c.eventHead(p), object{
		{"description", ""}, {"excerpt", ""}, {"slug", p.slug}, {"image", false}, {"all_day", nil},
	}...)
	o = append(o, eventDates(p.event)...)
	return append(o, object{
		{"cost", ""},
		{"cost_details", object{{"currency_symbol", ""}, {"currency_position", ""}, {"currency_code", ""}, {"values", list{}}}},
		{"website", ""}, {"show_map", nil}, {"show_map_link", nil}, {"hide_from_listings", nil}, {"sticky", nil}, {"featured", nil},
		{"categories", list{}}, {"tags", list{}}, {"venue", list{}}, {"organizer", list{}}, {"custom_fields", list{}},
	}...)
}

func (c *call) eventHead(p *post) object {
	o := object{{"id", p.id}, {"global_id", c.globalID(p.id)}, {"global_id_lineage", list{c.globalID(p.id)}}}
	o = append(o, c.postHead(p)...)
	return append(o, object{
		{"rest_url", c.restURL("events/" + itoa(p.id))},
		{"title", texturize(c.translated(p.title), c.root.lang)},
	}...)
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

// eventWebsite is the event's own page until a website is written. A create does not
// write an empty one, and each update does.
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
