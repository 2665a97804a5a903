package sim

import (
	"regexp"
	"strings"
	"time"
)

const tecTime = "2006-01-02T15:04:05"

// tecPost is the record of a post: what WordPress's own controller makes of it,
// less its links, and what the plugin adds.
func (c *call) tecPost(p *post) object {
	zone, lang := c.root.lang.zone, c.root.lang
	locked := c.locked(p)
	body, excerpt := content(p.content, lang), content(p.excerpt, lang)
	if excerpt == "" {
		excerpt = shortened(body)
	}
	if locked {
		body, excerpt = "", ""
	}
	rendered := func(s string) object {
		if s != "" {
			s += "\n"
		}
		return object{{"rendered", s}, {"protected", p.password != ""}}
	}
	o := object{
		{"id", p.id},
		{"date", p.date.In(zone).Format(tecTime)}, {"date_gmt", p.date.UTC().Format(tecTime)},
		{"guid", object{{"rendered", c.home() + "/?post_type=" + string(p.kind) + "&#038;p=" + itoa(p.id)}}},
		{"modified", p.modified.In(zone).Format(tecTime)}, {"modified_gmt", p.modified.UTC().Format(tecTime)},
		{"slug", p.slug}, {"status", p.status}, {"type", string(p.kind)}, {"link", c.permalink(p)},
		{"title", object{{"rendered", texturize(p.title, lang)}}},
		{"content", rendered(body)}, {"excerpt", rendered(excerpt)},
		{"author", p.author}, {"featured_media", p.image}, {"template", ""},
	}
	switch p.kind {
	case eventKind:
		return append(o, c.tecEvent(p)...)
	case venueKind:
		return append(o, tecPlace(p, []pair{{"address", "address"}, {"country", "country"}, {"city", "city"}, {"state_province", "stateprovince"},
			{"state", "state"}, {"province", "province"}, {"zip", "zip"}, {"phone", "phone"}, {"website", "website"}})...).with("directions_link", "https://maps.example/?q="+itoa(p.id))
	}
	return append(o, tecPlace(p, []pair{{"phone", "phone"}, {"website", "website"}, {"email", "email"}})...)
}

func tecPlace(p *post, names []pair) object {
	var o object
	for _, n := range names {
		o = o.with(n.name, p.place.fields[n.value])
	}
	return o
}

var anyTag = regexp.MustCompile(`<[^>]*>`)

// shortened is the excerpt that WordPress makes where nobody wrote one.
func shortened(body string) string {
	words := strings.Fields(anyTag.ReplaceAllString(body, " "))
	if len(words) == 0 {
		return ""
	}
	if len(words) > 55 {
		words = append(words[:55], "[&hellip;]")
	}
	return "<p>" + strings.Join(words, " ") + "</p>"
}

func (c *call) tecEvent(p *post) object {
	e := p.event
	organizers, names, venues := list{}, list{}, list{}
	for _, id := range e.organizers {
		if o := c.blog.posts[id]; o != nil && o.status != "trash" && c.user.reads(o) {
			organizers, names = append(organizers, c.tecPost(o)), append(names, o.title)
		}
	}
	for _, id := range e.venues {
		if v := c.blog.posts[id]; v != nil && v.status != "trash" && c.user.reads(v) {
			venues = append(venues, c.tecPost(v))
		}
	}
	return object{
		{"tags", c.termIDsByName(e.tags)}, {"tribe_events_cat", c.termIDsByName(e.categories)},
		{"class_list", list{"post-" + itoa(p.id), "tribe_events", "type-tribe_events", "status-" + p.status, "hentry"}},
		{"start_date", e.start.Format(dateTime)}, {"start_date_utc", e.utcStart.Format(dateTime)},
		{"end_date", e.end.Format(dateTime)}, {"end_date_utc", e.utcEnd.Format(dateTime)},
		{"dates", object{{"start", phpDate(e.start)}, {"start_utc", phpDate(e.utcStart)}, {"end", phpDate(e.end)}, {"end_utc", phpDate(e.utcEnd)}}},
		{"timezone", e.zone}, {"duration", itoa(int(e.end.Sub(e.start).Seconds()))},
		{"multiday", false}, {"is_past", e.start.Before(c.now)}, {"is_now", false}, {"all_day", e.allDay},
		{"starts_this_week", nil}, {"ends_this_week", nil}, {"this_week_duration", nil}, {"happens_this_week", nil}, {"displays_on", list{}},
		{"featured", e.featured}, {"sticky", e.sticky}, {"cost", costText(e, c.root.lang)},
		{"organizer_names", names}, {"organizers", organizers}, {"venues", venues},
		{"schedule_details", e.start.Format("January 2 @ 3:04 pm")}, {"short_schedule_details", e.start.Format("3:04 pm")},
	}
}

// phpDate is a date as PHP writes the object.
func phpDate(t time.Time) object {
	return object{{"date", t.Format("2006-01-02 15:04:05.000000")}, {"timezone_type", 3}, {"timezone", t.Location().String()}}
}

// termIDsByName are ids in the order of the terms' names.
func (c *call) termIDsByName(ids []int) list {
	out := list{}
	for _, t := range c.embeddedTerms(ids) {
		for _, m := range t.(object) {
			if m.name == "id" {
				out = append(out, m.value)
			}
		}
	}
	return out
}
