package sim

import "github.com/calfacade/calfacade/mapping"

// placeDef is what venues and organizers differ in.
type placeDef struct {
	kind   kind
	key    string   // of the list in JSON
	name   string   // of one, and of the field with its name
	fields []string // text fields in the order of JSON
	maps   bool     // whether it has show_map and show_map_link
	events func(*eventData) []int
}

var venueDef = placeDef{
	kind: venueKind, key: "venues", name: "venue", maps: true,
	fields: textFields("venues"),
	events: func(e *eventData) []int { return e.venues },
}

var organizerDef = placeDef{
	kind: organizerKind, key: "organizers", name: "organizer",
	fields: textFields("organizers"),
	events: func(e *eventData) []int { return e.organizers },
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

// definition is the placeDef of a post.
func definition(p *post) placeDef {
	if p.kind == venueKind {
		return venueDef
	}
	return organizerDef
}

// target is the post that the id or slug names. By id it may be of any kind:
// the rights are looked at before that.
func (d placeDef) target(c *call) *post {
	if c.bySlug {
		return c.blog.bySlug(d.kind, c.params.str("slug"))
	}
	return c.blog.post(c.params.int("id"))
}

// mayEdit looks at no item where the path has a slug, as mayEditEvent does.
func (d placeDef) mayEdit(c *call) bool {
	if p := d.target(c); p != nil && !c.general {
		return c.user.edits(p)
	}
	return c.bySlug && c.user.createsPost()
}

// failed is the error that there is none where one was to be created.
func (d placeDef) failed(c *call) error {
	return c.root.lang.fail(400, "could-not-create-"+d.name, "The "+d.name+" could not be created from the provided data")
}
