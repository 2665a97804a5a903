package sim

import (
	"cmp"
	"net/url"
	"strings"
	"time"
)

// tecEvent returns the members that the record of an event has beyond a post. An event that has begun
// is past, even if still in progress.
func (c *call) tecEvent(p *post, edit bool) object {
	o := object{{"tags", list{}}, {"tribe_events_cat", list{}}}
	if !c.locked(p) {
		o = object{{"tags", c.termIDsByName(p.event.tags)}, {"tribe_events_cat", c.termIDsByName(p.event.categories)}}
	}
	if edit {
		o = o.with("permalink_template", c.permalinkTemplate(p)).with("generated_slug", p.slug)
	}
	o = o.with("class_list", c.classList(p))
	e := p.event
	start := e.start
	end := e.end
	begun := !e.start.After(c.now)
	names := each(c.shownPlaces(e.organizers), func(p *post) string { return texturize(p.title, c.root.lang) })
	fields := object{
		{"start_date", start.Format(dateTime)}, {"start_date_utc", e.utcStart.Format(dateTime)},
		{"end_date", end.Format(dateTime)}, {"end_date_utc", e.utcEnd.Format(dateTime)},
		{"dates", append(c.tecDatesOf("start", start, e.utcStart), c.tecDatesOf("end", end, e.utcEnd)...)},
		{"timezone", cmp.Or(start.Location().String(), e.zone)}, {"duration", tecDuration(e)},
		{"multiday", tecDays(e)}, {"is_past", begun}, {"is_now", begun && !e.end.Before(c.now)}, {"all_day", e.allDay},
		{"starts_this_week", nil}, {"ends_this_week", nil}, {"this_week_duration", nil}, {"happens_this_week", nil},
		{"displays_on", list{}},
		{"featured", e.featured}, {"sticky", e.sticky}, {"cost", costText(e, c.root.lang)},
		{"organizer_names", names}, {"organizers", c.tecPlaces(e.organizers)}, {"venues", c.tecPlaces(e.venues)},
		{"schedule_details", c.schedule(p, true)}, {"short_schedule_details", c.schedule(p, false)},
	}
	if c.locked(p) {
		fields.hide(tecProtected)
		fields.set("dates", form("locked-dates", nil))
		fields.set("duration", tecProtected)
		fields.set("multiday", nil)
		fields.set("organizer_names", list{tecProtected})
	}
	return append(o, fields...)
}

func (c *call) tecPlaces(ids []int) list {
	return each(c.shownPlaces(ids), func(p *post) object { return c.tecPost(p, false) })
}

// tecDatesOf are the dates of one end of an event, as PHP writes the objects.
func (c *call) tecDatesOf(name string, local, utc time.Time) object {
	return object{
		{name, phpDate(local)}, {name + "_utc", phpDate(utc)},
		{name + "_site", phpDate(utc.In(c.root.lang.zone))}, {name + "_display", phpDate(local)},
	}
}

func phpDate(t time.Time) object {
	return object{{"date", t.Format("2006-01-02 15:04:05.000000")}, {"timezone_type", 3}, {"timezone", t.Location().String()}}
}

// tecDuration is the duration that was computed when the dates were written: a number if it is zero.
func tecDuration(e *eventData) any {
	if seconds := e.seconds(); seconds != 0 {
		return itoa(seconds)
	}
	return 0
}

// tecDays is on how many days an event takes place, or false on one. An event of whole days counts only days
// that the event takes whole.
func tecDays(e *eventData) any {
	start := localTime(e.start, time.UTC)
	end := localTime(e.end, time.UTC)
	switch days := int(midnight(end).Sub(midnight(start)).Hours() / 24); {
	case days == 0:
		return false
	case e.allDay:
		return int((end.Sub(start) + time.Second).Hours() / 24)
	default:
		return days + 1
	}
}

// classList are the classes that a theme puts on the item.
func (c *call) classList(p *post) list {
	classes := list{"post-" + itoa(p.id), string(p.kind), "type-" + string(p.kind), "status-" + p.status}
	locked := c.locked(p)
	switch {
	case locked:
		classes = append(classes, "post-password-required")
	case p.password != "":
		classes = append(classes, "post-password-protected")
	}
	if p.image != 0 && !locked {
		classes = append(classes, "has-post-thumbnail")
	}
	classes = append(classes, "hentry")
	terms := func(prefix string, ids []int) {
		for _, id := range c.termIDsByName(ids) {
			classes = append(classes, prefix+c.blog.terms[id.(int)].slug)
		}
	}
	if p.event != nil && !locked {
		terms("tag-", p.event.tags)
		terms("tribe_events_cat-", p.event.categories)
		terms("cat_", p.event.categories)
	}
	return classes
}

func (c *call) permalinkTemplate(p *post) string {
	template := *p
	template.slug = "%pagename%"
	template.status = "publish"
	return c.permalink(&template)
}

// termIDsByName are ids in the order of the terms' names.
func (c *call) termIDsByName(ids []int) list {
	return each(c.embeddedTerms(ids), func(t any) any { return t.(object).get("id") })
}

const tecTime = "2006-01-02T15:04:05"

// tecProtected stands for each text of an item behind a password, for everybody.
const tecProtected = "Password protected"

// tecPost is the record of a post: the record of WordPress's own controller, less the links, and the
// additions of the plugin. For editing, everybody is shown more.
func (c *call) tecPost(p *post, edit bool) object {
	zone := c.root.lang.zone
	lang := c.root.lang
	locked := c.locked(p)
	guid := c.birthLink(p)
	title := texturize(p.title, lang)
	image := p.image
	template := ""
	if locked {
		image = 0
		template = tecProtected
	}
	o := object{
		{"id", p.id},
		{"date", p.date.In(zone).Format(tecTime)}, {"date_gmt", utcOf(p.dateUTC, p.date).Format(tecTime)},
		{"guid", rawBeside(object{{"rendered", guid}}, "raw", guid, edit)},
		{"modified", p.modified.In(zone).Format(tecTime)}, {"modified_gmt", utcOf(p.modifiedUTC, p.modified).Format(tecTime)},
	}
	if edit {
		o = o.with("password", c.shownPassword(p))
	}
	o = append(o, object{
		{"slug", p.slug}, {"status", p.status}, {"type", string(p.kind)}, {"link", c.permalink(p)},
		{"title", rawBeside(object{{"rendered", title}}, "raw", p.title, edit)},
		{"content", c.tecContent(p, edit)}, {"excerpt", c.tecExcerpt(p, edit)},
		{"author", p.author}, {"featured_media", image}, {"template", template},
	}...)
	if p.kind == eventKind {
		return append(o, c.tecEvent(p, edit)...)
	}
	return append(o, c.tecPlace(p)...)
}

// utcOf is the time in UTC; a draft has no date in UTC, and shows the local date.
func utcOf(utc, local time.Time) time.Time {
	if utc.IsZero() {
		utc = local
	}
	return utc.UTC()
}

func rawBeside(o object, name string, value any, edit bool) object {
	if edit {
		return append(object{{name, value}}, o...)
	}
	return o
}

func (c *call) shownPassword(p *post) string {
	if c.locked(p) {
		return tecProtected
	}
	return p.password
}

// birthLink is the guid: the first link of the post. The link of a draft is escaped only in seeded drafts.
func (c *call) birthLink(p *post) string {
	born := *p
	born.slug = p.birthSlug
	born.status = "publish"
	if p.birthSlug == "" {
		born.status = "draft"
	}
	link := c.permalink(&born)
	if p.seeded {
		link = strings.ReplaceAll(link, "&", "&#038;")
	}
	return link
}

func (c *call) tecContent(p *post, edit bool) object {
	o := c.tecTextOf(p, content(p.content, c.root.lang))
	if !edit {
		return o
	}
	return rawBeside(o, "raw", p.content, !c.locked(p)).with("block_version", 0)
}

// tecExcerpt returns the excerpt, made from the content where nobody wrote an excerpt.
func (c *call) tecExcerpt(p *post, edit bool) object {
	text := content(p.excerpt, c.root.lang)
	if text == "" {
		text = shortened(content(p.content, c.root.lang))
	}
	return rawBeside(c.tecTextOf(p, text), "raw", p.excerpt, edit && !c.locked(p))
}

func (c *call) tecTextOf(p *post, text string) object {
	if c.locked(p) {
		return object{{"rendered", tecProtected}, {"protected", nil}}
	}
	if text != "" {
		text += "\n"
	}
	return object{{"rendered", text}, {"protected", p.password != ""}}
}

// tecPlace are the texts of a venue or an organizer, empty ones too.
func (c *call) tecPlace(p *post) object {
	f := p.place.fields
	texts := object{{"phone", f["phone"]}, {"website", f["website"]}, {"email", f["email"]}}
	if p.kind == venueKind {
		texts = object{
			{"address", f["address"]}, {"country", f["country"]}, {"city", f["city"]}, {"state_province", f["stateprovince"]},
			{"state", f["state"]}, {"province", f["province"]}, {"zip", f["zip"]}, {"phone", f["phone"]},
			{"directions_link", directions(f)}, {"website", f["website"]},
		}
	}
	if c.locked(p) {
		texts.hide(tecProtected)
	}
	return texts
}

// directions is a search on a map, or empty without an address.
func directions(fields map[string]string) string {
	var parts []string
	for _, name := range []string{"address", "city", "stateprovince", "state", "province", "zip", "country"} {
		if fields[name] != "" {
			parts = append(parts, fields[name])
		}
	}
	if parts == nil {
		return ""
	}
	return "https://maps.google.com/maps?f=q&#038;source=s_q&#038;hl=en&#038;geocode=&#038;q=" + url.QueryEscape(strings.Join(parts, " "))
}

// shortened is the excerpt that WordPress makes where nobody wrote one.
func shortened(body string) string {
	words := strings.Fields(anyTag.ReplaceAllString(body, ""))
	if len(words) == 0 {
		return ""
	}
	if len(words) > 55 {
		words = append(words[:55], "[&hellip;]")
	}
	return "<p>" + strings.Join(words, " ") + "</p>"
}
