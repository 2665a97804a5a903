package sim

import (
	"net/url"
	"strings"
	"time"
)

const tecTime = "2006-01-02T15:04:05"

// tecProtected stands for each text of an item behind a password, for everybody.
const tecProtected = "Password protected"

// tecPost is the record of a post: what WordPress's own controller makes of it, less its
// links, and what the plugin adds. For editing, everybody is shown more of it.
func (c *call) tecPost(p *post, edit bool) object {
	zone, lang, locked := c.root.lang.zone, c.root.lang, c.locked(p)
	guid, title := c.birthLink(p), texturize(p.title, lang)
	image, template := p.image, ""
	if locked {
		image, template = 0, tecProtected
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
	switch p.kind {
	case eventKind:
		return append(o, c.tecEvent(p, edit)...)
	case venueKind:
		return append(o, c.tecFieldsOf(p, "address", "country", "city", "state_province", "state", "province", "zip", "phone",
			"directions_link", "website")...)
	}
	return append(o, c.tecFieldsOf(p, "phone", "website", "email")...)
}

// utcOf is the time in UTC, which a draft does not have of its own.
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

// birthLink is the guid: the link that the post had when it was made. That of a draft is
// escaped only where it was there before the API was asked.
func (c *call) birthLink(p *post) string {
	born := *p
	born.slug, born.status = p.birthSlug, "publish"
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

// tecExcerpt makes one of the content where nobody wrote one.
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

// tecFieldsOf are the texts of a place, empty ones too.
func (c *call) tecFieldsOf(p *post, names ...string) object {
	var o object
	for _, name := range names {
		value := p.place.fields[name]
		switch {
		case c.locked(p):
			value = tecProtected
		case name == "state_province":
			value = p.place.fields["stateprovince"]
		case name == "directions_link":
			value = directions(p.place.fields)
		}
		o = o.with(name, value)
	}
	return o
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
