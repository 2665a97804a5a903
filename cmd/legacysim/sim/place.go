package sim

import (
	"cmp"
	"slices"
	"strings"
)

func (d postDef) listPlaces(c *call) (*answer, error) {
	posts := c.blog.selectPosts(d.kind, d.filters(c).pass)
	slices.SortFunc(posts, newestFirst)
	p := c.paging(len(posts))
	words := searchWords(c.params.str("search"))
	if words != nil {
		hits := slices.DeleteFunc(slices.Clone(posts), func(p *post) bool { return !d.mentions(p, words) })
		// A search without a hit lists nothing but counts everything.
		if len(hits) > 0 {
			p = c.paging(len(hits))
		}
		posts = hits
	}
	q := query{{"page", itoa(p.page)}, {"per_page", itoa(p.per)}}
	for _, name := range []string{"event", "has_events"} {
		if c.params.isGiven(name) {
			q = append(q, pair{name: name, value: c.params.str(name)})
		}
	}
	q = append(q, pair{name: "status", value: c.statusParam()})
	render := func(p *post) object { return c.renderPlace(p, false) }
	return d.postList(c, posts, p, render, q.raw(), q.without("page"))
}

func (d postDef) filters(c *call) filters[*post] {
	statuses := c.listStatuses()
	pass := filters[*post]{func(p *post) bool { return c.lists(&p.item) && slices.Contains(statuses, p.status) }}
	used := func(applies, isLinked bool, keep func(*post) bool) {
		if !applies {
			return
		}
		var ids []int
		for _, e := range c.blog.selectPosts(eventKind, keep) {
			ids = append(ids, d.linked(e.event)...)
		}
		pass = append(pass, func(p *post) bool { return slices.Contains(ids, p.id) == isLinked })
	}
	input := c.params
	used(input.isGiven("event"), true, func(p *post) bool { return p.id == input.int("event") })
	used(input.isGiven("has_events"), input.bool("has_events"), func(p *post) bool { return p.status != "trash" })
	used(input.bool("only_with_upcoming"), true, func(p *post) bool { return p.status == "publish" && p.event.start.After(c.now) })
	return pass
}

func (d postDef) mentions(p *post, words []string) bool {
	texts := []string{p.title, p.content}
	for _, name := range d.fields {
		texts = append(texts, p.place.fields[name])
	}
	return hasWords(words, strings.Join(texts, "\n"))
}

// renderPlace returns the record of a venue or organizer, without empty fields. A password empties the
// fields; the name becomes a list, of all things.
func (c *call) renderPlace(p *post, single bool) object {
	d := definition(p)
	lang := c.root.lang
	texts := object{
		{d.name, texturize(p.title, lang)}, {"description", content(p.content, lang)},
		{"excerpt", content(p.excerpt, lang)}, {"slug", p.slug}, {"image", c.renderImage(p.image)},
	}.present()
	var fields, maps object
	for _, name := range d.fields {
		fields = fields.with(name, p.place.fields[name])
	}
	fields = fields.present()
	if d.maps {
		maps = object{{"show_map", p.place.showMap}, {"show_map_link", p.place.mapLink}}
	}
	switch {
	case c.locked(p):
		texts = object{{d.name, list{}}, {"description", ""}, {"slug", p.slug}}
		fields = fields.hide()
		maps = maps.hide()
	case single:
		fields = fields.with("json_ld", c.placeLD(p))
	}
	return slices.Concat(object{{"id", p.id}}, c.postHead(p), texts, fields, maps, c.globalIDs(p))
}

// shownPlaces are the venues or organizers that show inside an event: no places in the trash, and only places
// that the user may read.
func (c *call) shownPlaces(ids []int) []*post {
	return slices.DeleteFunc(c.shownPosts(ids), func(p *post) bool { return p.status == "trash" || !c.user.reads(p) })
}

func (c *call) embeddedPlaces(ids []int, single bool) list {
	return each(c.shownPlaces(ids), func(p *post) object { return c.renderPlace(p, single) })
}

// placeLD is the schema.org record of a venue or organizer.
func (c *call) placeLD(p *post) object {
	f := p.place.fields
	lang := c.root.lang
	o := object{
		{"@type", "Person"}, {"name", texturize(p.title, lang)}, {"description", ldDescription(content(p.excerpt+p.content, lang))},
		{"url", f["website"]}, {"telephone", f["phone"]}, {"sameAs", f["website"]},
	}
	o = c.ldImage(o, p)
	if !definition(p).maps {
		return o.with("email", f["email"])
	}
	o.set("@type", "Place")
	o.set("url", "")
	return o.with("address", object{
		{"@type", "PostalAddress"}, {"streetAddress", f["address"]}, {"addressLocality", f["city"]},
		{"addressRegion", f["state"] + f["province"]}, {"postalCode", f["zip"]}, {"addressCountry", f["country"]},
	}.present())
}

func (d postDef) makePlace(c *call, input params) (*post, error) {
	title := strings.TrimSpace(*input.text(d.name))
	if title == "" {
		return nil, d.failed(c)
	}
	for _, p := range c.blog.selectPosts(d.kind, func(p *post) bool { return p.title == title && p.status != "trash" }) {
		d.apply(c, p, input)
		return p, nil
	}
	p := c.newPost(d.kind)
	change := d.placeChange(c, input)
	change.slug = &title // also of a draft
	if err := c.savePost(p, change); err != nil {
		return nil, err
	}
	d.apply(c, p, input)
	return p, nil
}

// placeChange returns the changes of a write to the post. An empty description changes nothing, and a slug is
// unknown.
func (d postDef) placeChange(c *call, input params) postChange {
	change := postChange{title: input.text(d.name), author: input.int("author"), status: c.newStatus(input)}
	if !isEmpty(input["description"]) {
		change.content = input.text("description")
	}
	change.date, change.dateUTC = c.writtenDates(input)
	return change
}

// apply writes the fields of the request. Other fields stay, except for the image and stateprovince, which
// each write sets.
func (d postDef) apply(c *call, p *post, input params) {
	for _, name := range d.fields {
		if input.isGiven(name) {
			p.place.fields[name] = placeText(input[name])
		}
	}
	delete(p.place.fields, "stateprovince")
	for _, name := range []string{"stateprovince", "province", "state"} {
		if d.maps && !isEmpty(input[name]) {
			p.place.fields["stateprovince"] = placeText(input[name])
		}
	}
	if input.isGiven("show_map") {
		p.place.showMap = input.bool("show_map")
	}
	if input.isGiven("show_map_link") {
		p.place.mapLink = input.bool("show_map_link")
	}
	p.image = c.imageID(input)
}

// placeText is a short text without HTML. A zero is nothing.
func placeText(v any) string {
	if isEmpty(v) {
		return ""
	}
	return anyTag.ReplaceAllString(stripSlashes(scalar(v)), "")
}

// writePlace preserves the date in UTC when the request has another date, which is a slip of the
// plugin.
func (d postDef) writePlace(c *call, p *post) error {
	change := d.placeChange(c, c.params)
	previous := c.untouched(p, "")
	change.date = cmp.Or(change.date, previous.date)
	change.dateUTC = cmp.Or(change.dateUTC, previous.dateUTC)
	if err := c.savePost(p, change); err != nil {
		return err
	}
	p.place.showMap, p.place.mapLink = true, true // unless the request says otherwise
	d.apply(c, p, c.params)
	return nil
}
