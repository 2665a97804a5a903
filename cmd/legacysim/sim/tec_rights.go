package sim

// tecTarget is the post of the id, or nil. In a list, the id comes from the query.
func (c *call) tecTarget() *post { return c.blog.post(c.params.int("id")) }

// tecMayList lets everybody list, unless an id in the query makes it about an item.
func (c *call) tecMayList(k kind) bool {
	return !c.params.given("id") || c.tecMayRead(k)
}

func (c *call) tecMayCreate(kind) bool { return c.user.createsPost() }

// tecMayRead lets everybody try the id 0, which is no item.
func (c *call) tecMayRead(k kind) bool {
	p := c.tecTarget()
	return c.tecZero() || p != nil && p.kind == k && c.user.reads(p)
}

// tecMayEdit looks at posts of all kinds: the endpoint finds out that the kind is wrong.
func (c *call) tecMayEdit(kind) bool {
	p := c.tecTarget()
	return p != nil && c.user.edits(p) || c.tecZero() && c.user.createsPost()
}

func (c *call) tecZero() bool { return c.params.str("id") == "0" }

// tecError is an error in the form of the successor, which has no code.
func tecError(status int, text string) *answer {
	return &answer{status: status, failed: true, body: object{{"error", text}}}
}

// tecRead answers also for an item behind a password, in words that hide it.
func (c *call) tecRead(k kind) (*answer, error) {
	p := c.blog.find(k, c.params.int("id"))
	if p == nil || p.status == "trash" {
		return tecError(404, "The entity could not be read."), nil
	}
	return ok(c.tecPost(p, c.params.str("context") == "edit"))
}
