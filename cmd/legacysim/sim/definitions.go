package sim

import "github.com/calfacade/calfacade/mapping"

// postDef holds the differences between events, venues and organizers.
type postDef struct {
	kind   kind
	key    string                 // of the list in JSON
	name   string                 // of one, and of the field with the name of a venue or organizer
	fields []string               // text fields of a venue or organizer, in the order of JSON
	maps   bool                   // whether a venue, with show_map and show_map_link
	linked func(*eventData) []int // the venues or organizers of an event
}

var eventDef = postDef{kind: eventKind, key: eventResource, name: "event"}

var venueDef = postDef{
	kind: venueKind, key: "venues", name: "venue", maps: true,
	fields: textFields("venues"),
	linked: func(e *eventData) []int { return e.venues },
}

var organizerDef = postDef{
	kind: organizerKind, key: "organizers", name: "organizer",
	fields: textFields("organizers"),
	linked: func(e *eventData) []int { return e.organizers },
}

// textFields are the fields of a resource that are texts and can be empty, but for the description.
func textFields(resource string) []string {
	var names []string
	for _, f := range mapping.FieldsOf(resource) {
		if f.Kind == mapping.Text && f.Null && !f.CannotEmpty && f.Known == nil {
			names = append(names, f.Name)
		}
	}
	return names
}

func (postDef) mayCreate(c *call) bool { return c.user.createsPost() }

// mayEdit lets authors try an event that does not exist: the endpoint reports that. A call by slug checks no
// item, which lets authors change items of others; Allow, which is made before, denies the change.
func (d postDef) mayEdit(c *call) bool {
	if p := d.target(c); p != nil && !c.general {
		return c.user.edits(p)
	}
	return (c.bySlug || d.kind == eventKind) && c.user.createsPost()
}

// target is the post that the id or slug names, or nil. An id of a venue or organizer may name a post of any
// kind: the rights are looked at before that.
func (d postDef) target(c *call) *post {
	switch {
	case c.bySlug:
		return c.blog.bySlug(d.kind, c.params.str("slug"))
	case d.kind == eventKind:
		return c.blog.find(eventKind, c.params.int("id"))
	}
	return c.blog.post(c.params.int("id"))
}

// definition is the postDef of a venue or organizer.
func definition(p *post) postDef {
	if p.kind == venueKind {
		return venueDef
	}
	return organizerDef
}

// failed is the error of a venue or organizer that was not created.
func (d postDef) failed(c *call) error {
	return c.root.lang.fail(400, "could-not-create-"+d.name)
}
