package sim

// placeDef is what venues and organizers differ in.
type placeDef struct {
	kind   kind
	key    string   // of the list in JSON
	name   string   // of one, and of the field with its name
	fields []string // text fields in the order of JSON
	maps   bool     // whether it has show_map and show_map_link
	events func(*eventData) []int
	beyond message
	hidden message
	failed message // that it could not be created
}

var venueDef = placeDef{
	kind: venueKind, key: "venues", name: "venue", maps: true,
	fields: []string{"address", "city", "country", "province", "state", "zip", "phone", "stateprovince", "website"},
	events: func(e *eventData) []int { return e.venues },
	beyond: msgPageVenue, hidden: msgHiddenVenue, failed: msgNewVenue,
}

var organizerDef = placeDef{
	kind: organizerKind, key: "organizers", name: "organizer",
	fields: []string{"phone", "website", "email"},
	events: func(e *eventData) []int { return e.organizers },
	beyond: msgPageOrganizer, hidden: msgHiddenOrg, failed: msgNewOrganizer,
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
