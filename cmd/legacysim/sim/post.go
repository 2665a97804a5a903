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

// existing returns the target, or the error that explains why there is no such event: without a venue or organizer
// the call has failed before. By slug the id in the error is 0.
func (d postDef) existing(c *call) (*post, error) {
	if p := d.target(c); p != nil {
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

// newPost is a post of the user with the values that a request need not have.
func (c *call) newPost(k kind) *post {
	p := &post{item: item{kind: k}, author: c.user.ID}
	if k == eventKind {
		p.event = &eventData{showMap: true, mapLink: true}
	} else {
		p.place = &placeData{fields: map[string]string{}, showMap: true, mapLink: true}
	}
	return p
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

// postList lists a page of posts. parameters go into the links to the other pages, percent-encoded; self is
// already encoded.
func (d postDef) postList(c *call, posts []*post, p paging, render func(*post) object, self string, parameters query) (*answer, error) {
	if p.beyond() {
		return nil, c.root.lang.fail(404, d.name+"-archive-page-not-found")
	}
	body := object{{d.key, each(slice(posts, p), render)}, {"rest_url", c.restURL(d.key + "/?" + self)}}
	body = c.withPages(body, d.key, p, parameters).with("total", p.total).with("total_pages", p.pages)
	return &answer{status: 200, body: body, headers: p.counts("X-TEC")}, nil
}
