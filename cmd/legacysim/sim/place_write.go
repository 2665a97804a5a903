package sim

// create makes a new one, or changes the one that already has the name: both
// are reported as created.
func (d placeDef) create(c *call) (*answer, error) {
	return &answer{status: 201, body: c.renderPlace(d.make(c, c.params), false)}, nil
}

func (d placeDef) make(c *call, in params) *post {
	title := c.clean(in.str(d.name))
	for _, p := range c.blog.all(d.kind, func(p *post) bool { return p.title == title && p.status != "trash" }) {
		d.apply(c, p, in)
		return p
	}
	status := c.newStatus(in)
	draft := status == "draft" || status == "pending"
	p := c.blog.addPost(&post{
		kind: d.kind, author: c.authorOf(in), status: status, date: c.now, modified: c.now,
		undated: draft, neverModified: draft,
		title: title, slug: c.blog.freeSlug(d.kind, slugify(title), 0),
		place: &placeData{fields: map[string]string{}, showMap: true, mapLink: true},
	})
	d.apply(c, p, in)
	return p
}

// apply writes the fields that are given.
func (d placeDef) apply(c *call, p *post, in params) {
	if in.given(d.name) {
		p.title = c.clean(in.str(d.name))
	}
	if in.given("description") {
		p.content = c.clean(in.str("description"))
	}
	for _, name := range d.fields {
		if in.given(name) {
			p.place.fields[name] = c.clean(in.str(name))
		}
	}
	if in.given("show_map") {
		p.place.showMap = in.bool("show_map")
	}
	if in.given("show_map_link") {
		p.place.mapLink = in.bool("show_map_link")
	}
	if in.given("image") {
		p.image = c.imageID(in)
	}
}

func (d placeDef) update(c *call) (*answer, error) {
	p := d.target(c)
	c.restore(p)
	if c.params.given("status") {
		p.status = c.newStatus(c.params)
	}
	p.modified, p.neverModified = c.now, false
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
