package sim

func (c *call) mayCreate() bool { return c.user.createsPost() }

// mayEditEvent lets authors try an event that does not exist: the endpoint reports that.
// By slug it checks no event, which lets them change events of others; Allow, which is
// made later, denies it.
func (c *call) mayEditEvent() bool {
	if p := c.targetEvent(); p != nil && !c.general {
		return c.user.edits(p)
	}
	return c.user.createsPost()
}

// targetEvent is the event that the id or slug names, or nil.
func (c *call) targetEvent() *post {
	if c.bySlug {
		return c.blog.bySlug(eventKind, c.params.str("slug"))
	}
	return c.blog.find(eventKind, c.params.int("id"))
}

// event returns the event, or the error that explains why there is none. By slug
// the id in the error is 0.
func (c *call) event() (*post, error) {
	if p := c.targetEvent(); p != nil {
		return p, nil
	}
	id, _ := number(c.params["id"])
	if c.bySlug {
		id = 0
	}
	if c.blog.post(id) != nil {
		return nil, c.root.lang.fail(400, "rest-invalid-event-id", "The specified ID is not a valid event.")
	}
	return nil, c.root.lang.fail(404, "rest-event-not-found", "Event with ID %d does not exist.", id)
}

// readEvent hides a trashed event from everybody, and one with a password also
// from those who could edit it, but not from them in the context edit.
func (c *call) readEvent() (*answer, error) {
	p, err := c.event()
	if err != nil {
		return nil, err
	}
	lang := c.root.lang
	switch {
	case p.status == "trash":
		return nil, lang.fail(403, "event-no-longer-available", "This event is no longer available")
	case !c.user.reads(p):
		return nil, lang.fail(403, "event-not-accessible", "The requested event is not accessible")
	case c.locked(p) && !(c.params.str("context") == "edit" && c.user.edits(p)):
		return nil, lang.fail(403, "event-password-protected", "The requested event is not accessible without a password")
	}
	return ok(c.renderEvent(p, true))
}
