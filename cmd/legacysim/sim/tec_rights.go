package sim

// tecTarget is the post of the id, or nil. In a list, the id comes from the query.
func (c *call) tecTarget() *post { return c.blog.post(c.params.int("id")) }

// tecMayList lets everybody list, unless an id in the query makes it about an item.
func (c *call) tecMayList() bool {
	return !c.params.given("id") || c.tecMayRead()
}

// tecMayRead lets everybody try the id 0, which is no item.
func (c *call) tecMayRead() bool {
	p := c.tecTarget()
	return c.tecZero() || p != nil && p.kind == c.route.kind && c.user.reads(p)
}

// tecMayEdit looks at posts of all kinds: the endpoint finds out that the kind is wrong.
func (c *call) tecMayEdit() bool {
	p := c.tecTarget()
	return p != nil && c.user.edits(p) || c.tecZero() && c.user.createsPost()
}

func (c *call) tecZero() bool { return c.params.str("id") == "0" }

// tecError is an error in the form of the successor, which has no code.
func tecError(status int, text string) *answer {
	return &answer{status: status, failed: true, body: object{{"error", text}}}
}

// tecRead answers also for an item behind a password, in words that hide it.
func (c *call) tecRead() (*answer, error) {
	p := c.blog.find(c.route.kind, c.params.int("id"))
	if p == nil || p.status == "trash" {
		return tecError(404, "The entity could not be read."), nil
	}
	return ok(c.tecPost(p, c.params.str("context") == "edit"))
}
