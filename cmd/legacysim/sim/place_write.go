package sim

import "cmp"

// create makes a new one, or changes the one that already has the name: both are
// reported as created.
func (d placeDef) create(c *call) (*answer, error) {
	p, err := d.make(c, c.params)
	if err != nil {
		return nil, err
	}
	return &answer{status: 201, body: c.renderPlace(p, false)}, nil
}

func (d placeDef) make(c *call, in params) (*post, error) {
	title := c.filterTitle(*in.text(d.name))
	if title == "" {
		return nil, d.failed(c)
	}
	for _, p := range c.blog.all(d.kind, func(p *post) bool { return p.title == title && p.status != "trash" }) {
		d.apply(c, p, in)
		return p, nil
	}
	p := &post{kind: d.kind, author: c.user.ID, place: &placeData{fields: map[string]string{}, showMap: true, mapLink: true}}
	change := d.change(c, in)
	change.slug = &title // also of a draft
	if err := c.savePost(p, change); err != nil {
		return nil, err
	}
	d.apply(c, p, in)
	return p, nil
}

// change returns the changes of a write to the post. An empty description is none, and a
// slug is unknown.
func (d placeDef) change(c *call, in params) postChange {
	change := postChange{title: in.text(d.name), author: in.int("author"), status: c.newStatus(in)}
	if !isEmpty(in["description"]) {
		change.content = in.text("description")
	}
	change.date, change.dateUTC = c.writtenDates(in)
	return change
}

// apply writes the fields of the request. The others stay, except for the image,
// and for what state or province are shown as.
func (d placeDef) apply(c *call, p *post, in params) {
	for _, name := range d.fields {
		if in.given(name) {
			p.place.fields[name] = placeText(in[name])
		}
	}
	delete(p.place.fields, "stateprovince")
	for _, name := range []string{"stateprovince", "province", "state"} {
		if d.maps && !isEmpty(in[name]) {
			p.place.fields["stateprovince"] = placeText(in[name])
		}
	}
	if in.given("show_map") {
		p.place.showMap = in.bool("show_map")
	}
	if in.given("show_map_link") {
		p.place.mapLink = in.bool("show_map_link")
	}
	p.image = c.imageID(in)
}

// placeText is a short text without HTML. A zero is nothing.
func placeText(v any) string {
	if isEmpty(v) {
		return ""
	}
	return anyTag.ReplaceAllString(stripSlashes(scalar(v)), "")
}

// update preserves the date in UTC when the request has another date, which is a slip of the
// plugin.
func (d placeDef) update(c *call) (*answer, error) {
	p := d.target(c)
	change, kept := d.change(c, c.params), c.untouched(p, "")
	change.date, change.dateUTC = cmp.Or(change.date, kept.date), cmp.Or(change.dateUTC, kept.dateUTC)
	if err := c.savePost(p, change); err != nil {
		return nil, err
	}
	p.place.showMap, p.place.mapLink = true, true // unless the request says otherwise
	d.apply(c, p, c.params)
	return ok(c.renderPlace(p, false))
}

func (d placeDef) remove(c *call) (*answer, error) {
	p := d.target(c)
	if err := c.trash(p, d.name); err != nil {
		return nil, err
	}
	return ok(c.renderPlace(p, false))
}
