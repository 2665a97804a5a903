package sim

import "time"

// locked reports whether the post has a password that the call lacks.
func (c *call) locked(p *post) bool {
	return p.password != "" && c.params.str("password") != p.password
}

// postHead is what the records of events, venues and organizers share.
func (c *call) postHead(p *post) object {
	zone := c.root.lang.zone
	return object{
		{"author", itoa(p.author)},
		{"status", p.status},
		{"date", p.date.In(zone).Format(dateTime)},
		{"date_utc", utcText(p.dateUTC)},
		{"modified", p.modified.In(zone).Format(dateTime)},
		{"modified_utc", utcText(p.modifiedUTC)},
		{"url", c.permalink(p)},
	}
}

func utcText(at time.Time) string {
	if at.IsZero() {
		return "0000-00-00 00:00:00"
	}
	return at.UTC().Format(dateTime)
}

func (c *call) withGlobalID(o object, p *post) object {
	return o.with("global_id", c.globalID(p.id)).with("global_id_lineage", list{c.globalID(p.id)})
}

// withText appends a member unless it is empty.
func (o object) withText(name, value string) object {
	if value == "" {
		return o
	}
	return o.with(name, value)
}

func (c *call) ldImage(o object, p *post) object {
	if img := c.blog.find(imageKind, p.image); img != nil {
		return o.with("image", c.uploadURL(img.file.path))
	}
	return o
}

func (c *call) ldName(p *post) string {
	name := texturize(c.translated(p.title), c.root.lang)
	switch {
	case p.status == "private":
		return "Private: " + name
	case p.password != "":
		return "Protected: " + name
	}
	return name
}
