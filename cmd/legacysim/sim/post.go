package sim

// existing returns the target, or the error that explains why there is no such event: without a venue or organizer
// the call has failed before. By slug the id in the error is 0.
func (d postDef) existing(c *call) (*post, error) {
	p := d.target(c)
	if p != nil {
		return p, nil
	}
	id, _ := number(c.params["id"])
	if c.bySlug {
		id = 0
	}
	if c.blog.post(id) != nil {
		return nil, c.root.lang.fail(400, "rest-invalid-event-id")
	}
	return nil, c.root.lang.fail(404, "rest-event-not-found")
}

// read hides a trashed event from everybody, and an event with a password also from users who could edit the
// event, but not from them in the context edit.
func (d postDef) read(c *call) (*answer, error) {
	p, err := d.existing(c)
	if err != nil {
		return nil, err
	}
	lang := c.root.lang
	isEvent := d.kind == eventKind
	switch {
	case isEvent && p.status == "trash":
		return nil, lang.fail(403, "event-no-longer-available")
	case !c.user.reads(p):
		return nil, lang.fail(403, d.name+"-not-accessible")
	case isEvent && c.locked(p) && !(c.params.str("context") == "edit" && c.user.edits(p)):
		return nil, lang.fail(403, "event-password-protected")
	}
	return success(c.renderPost(p, true))
}

// renderPost is the record of an event, a venue or an organizer.
func (c *call) renderPost(p *post, single bool) object {
	if p.kind == eventKind {
		return c.renderEvent(p, single)
	}
	return c.renderPlace(p, single)
}

// create makes a new post, or changes the venue or organizer that already has the name: both
// are reported as created.
func (d postDef) create(c *call) (*answer, error) {
	p, err := d.make(c, c.params)
	if err != nil {
		return nil, err
	}
	return &answer{status: 201, body: c.renderPost(p, false)}, nil
}

func (d postDef) make(c *call, input params) (*post, error) {
	if d.kind != eventKind {
		return d.makePlace(c, input)
	}
	p := c.newPost(eventKind)
	return p, c.writeEvent(p)
}

func (d postDef) update(c *call) (*answer, error) {
	if d.kind == eventKind {
		return d.change(c, c.writeEvent)
	}
	return d.change(c, func(p *post) error { return d.writePlace(c, p) })
}

func (d postDef) remove(c *call) (*answer, error) {
	return d.change(c, func(p *post) error { return c.trash(p, d.name) })
}

// change changes the post of the call.
func (d postDef) change(c *call, change func(*post) error) (*answer, error) {
	p, err := d.existing(c)
	if err == nil {
		err = change(p)
	}
	if err != nil {
		return nil, err
	}
	return success(c.renderPost(p, false))
}

func (d postDef) list(c *call) (*answer, error) {
	if d.kind == eventKind {
		return d.listEvents(c)
	}
	return d.listPlaces(c)
}
