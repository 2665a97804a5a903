package sim

import "strings"

const trashedSuffix = "__trashed"

// trash moves the post there; once more is an error. force changes nothing.
func (c *call) trash(p *post, noun string) error {
	if p.status == "trash" {
		return c.root.lang.fail(410, noun+"-is-in-trash", msgTrashed, noun)
	}
	p.status, p.modified = "trash", c.now
	if p.slug != "" {
		p.slug = c.blog.freeSlug(p.kind, p.slug+trashedSuffix, p.id)
	}
	return nil
}

// restore is what any update does to a trashed post: it is published again.
func (c *call) restore(p *post) {
	if p.status == "trash" {
		slug, _, _ := strings.Cut(p.slug, trashedSuffix)
		p.status, p.slug = "publish", c.blog.freeSlug(p.kind, slug, p.id)
	}
}

// newStatus is the status asked for, as far as the user may give it. What is
// not said is published, by those who can.
func (c *call) newStatus(in params) string {
	s := in.str("status")
	switch {
	case c.user.publishes() && s == "":
		return "publish"
	case c.user.publishes():
		return s
	case s == "":
		return "draft"
	case s == "draft":
		return s
	}
	return "pending"
}

func (c *call) authorOf(in params) int {
	if in.given("author") {
		return in.int("author")
	}
	return c.user.ID
}

// clean is what happens to all text on its way in.
func (c *call) clean(s string) string {
	s = stripSlashes(s)
	if !c.user.managesAll() {
		s = kses(s)
	}
	return s
}

func (c *call) imageID(in params) int {
	if p := c.findImage(in.str("image")); p != nil {
		return p.id
	}
	return 0
}
