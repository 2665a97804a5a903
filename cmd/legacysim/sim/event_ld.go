package sim

import (
	"cmp"
	"time"
)

// eventLD is the schema.org record of an event.
func (c *call) eventLD(p *post) object {
	e, lang := p.event, c.root.lang
	o := object{
		{"@context", "http://schema.org"},
		{"@type", "Event"},
		{"name", c.ldName(p)},
		{"description", ldDescription(cmp.Or(content(p.excerpt, lang), content(p.content, lang)))},
	}
	o = c.ldImage(o, p)
	o = append(o, object{
		{"url", c.ldURL(p)},
		{"eventAttendanceMode", "https://schema.org/OfflineEventAttendanceMode"},
		{"eventStatus", "https://schema.org/EventScheduled"},
		{"startDate", phpISO(e.start)},
		{"endDate", phpISO(e.end)},
	}...)
	if len(e.venues) > 0 {
		o = o.with("location", c.ldPlace(c.shownPosts(e.venues[:1])))
	}
	if len(e.organizers) > 0 {
		o = o.with("organizer", c.ldPlace(c.shownPosts(e.organizers[:1])))
	}
	if e.cost != "" {
		o = o.with("offers", c.ldOffer(p))
	}
	return o.with("performer", "Organization")
}

// ldURL shows a slip of the plugin: it appends a slash to any URL, and escapes
// it where there is a query.
func (c *call) ldURL(p *post) string {
	if p.status == "publish" || p.status == "private" {
		return c.permalink(p)
	}
	return c.permalink(p) + "%2F/"
}

// ldPlace is false for a venue that hides behind a password.
func (c *call) ldPlace(first []*post) any {
	if len(first) == 0 || c.locked(first[0]) {
		return false
	}
	return c.placeLD(first[0])
}

func (c *call) ldOffer(p *post) object {
	return object{
		{"@type", "Offer"},
		{"price", p.event.cost},
		{"priceCurrency", c.root.lang.currency},
		{"url", c.permalink(p)},
		{"category", "primary"},
		{"availability", "inStock"},
		{"validFrom", midnight(p.date.UTC()).Format("2006-01-02T15:04:05+00:00")},
	}
}

// phpISO is ISO 8601 with +00:00 where Go writes Z.
func phpISO(t time.Time) string { return t.Format("2006-01-02T15:04:05-07:00") }
