package sim

import (
	"path"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

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
	p := d.target(c)
	if p != nil && !c.general {
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

// postHead returns the members that the records of events, venues and organizers share.
func (c *call) postHead(p *post) object {
	zone := c.root.lang.zone
	return object{
		{"author", itoa(p.author)},
		{"status", p.status},
		{"date", p.date.In(zone).Format(dateTime)},
		{"date_utc", utcText(p.dateUTC)},
		{"modified", p.modified.In(zone).Format(dateTime)},
		{"modified_utc", utcText(p.modifiedUTC)},
		{"url", c.permalink(p)},
	}
}

func (c *call) globalIDs(p *post) object {
	id := c.globalID(p.id)
	return object{{"global_id", id}, {"global_id_lineage", list{id}}}
}

func (c *call) ldImage(o object, p *post) object {
	img := c.blog.find(imageKind, p.image)
	if img != nil {
		return o.with("image", c.uploadURL(img.file.Path))
	}
	return o
}

// renderImage is the record of an image; false without an image.
func (c *call) renderImage(id int) any {
	p := c.blog.find(imageKind, id)
	if p == nil {
		return false
	}
	f := p.file
	return object{
		{"url", c.uploadURL(f.Path)},
		{"id", p.id},
		{"extension", strings.TrimPrefix(path.Ext(f.Path), ".")},
		{"width", f.Width},
		{"height", f.Height},
		{"filesize", f.Bytes},
		{"sizes", c.renderSizes(f)},
	}
}

func (c *call) renderSizes(f *imageData) (sizes object) {
	ext := path.Ext(f.Path)
	for _, s := range f.Sizes {
		url := c.uploadURL(strings.TrimSuffix(f.Path, ext) + "-" + itoa(s.Width) + "x" + itoa(s.Height) + ext)
		sizes = sizes.with(s.Name, object{
			{"width", s.Width}, {"height", s.Height}, {"mime-type", f.Mime}, {"filesize", s.Bytes}, {"url", url},
		})
	}
	return sizes
}

// findImage accepts an id, or the URL of a file of the site.
func (c *call) findImage(s string) *post {
	if id, err := strconv.Atoi(s); err == nil {
		return c.blog.find(imageKind, id)
	}
	for _, p := range c.blog.selectPosts(imageKind, func(p *post) bool { return c.uploadURL(p.file.Path) == s }) {
		return p
	}
	return nil
}

func (c *call) imageID(input params) int {
	p := c.findImage(input.str("image"))
	if p != nil {
		return p.id
	}
	return 0
}
