package sim

import (
	"regexp"
	"slices"
	"time"
)

var tecDateForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$`)

// tecError is an error in the form of the successor, which has no code.
func tecError(status int, text string) *answer {
	return &answer{status: status, failed: true, body: object{{"error", text}}}
}

// tecChecked refuses dates of another form. What it does not know is dropped.
func (c *call) tecChecked() error {
	for _, name := range []string{"start_date", "end_date"} {
		if c.params.given(name) && !tecDateForm.MatchString(c.params.str(name)) {
			return &apiError{
				status: 400, code: "tec_rest_invalid_date_time_argument", message: "Argument `{" + name + "}` must match the pattern.",
				data: object{{"argument", name}, {"details", "The argument does not match the pattern."}},
			}
		}
	}
	return nil
}

func (c *call) tecCreate(k kind) (*answer, error) {
	if err := c.tecChecked(); err != nil {
		return nil, err
	}
	p := &post{kind: k, author: c.user.ID, date: c.now, modified: c.now, modifiedUTC: c.now}
	if k == eventKind {
		p.event = &eventData{showMap: true, mapLink: true}
	} else {
		p.place = &placeData{fields: map[string]string{}, showMap: true, mapLink: true}
	}
	c.blog.addPost(p)
	c.tecApply(p)
	return &answer{status: 201, body: c.tecPost(p)}, nil
}

func (c *call) tecUpdate(p *post) (*answer, error) {
	if err := c.tecChecked(); err != nil {
		return nil, err
	}
	p.modified, p.modifiedUTC = c.now, c.now
	c.tecApply(p)
	return ok(c.tecPost(p))
}

func (c *call) tecDelete(p *post) (*answer, error) {
	if p.status == "trash" {
		return tecError(410, "The entity has already been trashed."), nil
	}
	if err := c.trash(p, "entity"); err != nil {
		return nil, err
	}
	return ok(list{})
}

// tecApply writes the fields of the request. Status and sticky have defaults, and an update
// without them gets these too.
func (c *call) tecApply(p *post) {
	in := c.params
	text := func(to *string, name string) {
		if in.given(name) {
			*to = c.filterText(stripSlashes(in.str(name)))
		}
	}
	p.status = "publish"
	if in.given("status") {
		p.status = c.newStatus(in)
	}
	text(&p.title, "title")
	text(&p.content, "content")
	text(&p.excerpt, "excerpt")
	if in.given("author") {
		p.author = in.int("author")
	}
	if in.given("featured_media") {
		p.image = in.int("featured_media")
	}
	if at, ok := parseDate(in.str("date"), c.now, c.root.lang.zone); ok {
		p.date = at
	}
	if p.dateUTC = p.date; slices.Contains(floating, p.status) && !in.given("date") {
		p.dateUTC = time.Time{}
	}
	if want := slugify(in.str("slug")); want != "" || p.slug == "" {
		if want == "" {
			want = slugify(p.title)
		}
		p.slug = c.blog.freeSlug(p.kind, want, p.id)
	}
	if p.kind == eventKind {
		c.tecApplyEvent(p.event)
		return
	}
	if in.given("state_province") {
		p.place.fields["stateprovince"] = placeText(in["state_province"])
	}
	for _, name := range definition(p).fields {
		if in.given(name) {
			p.place.fields[name] = placeText(in[name])
		}
	}
}

func (c *call) tecApplyEvent(e *eventData) {
	in, zone := c.params, c.root.lang.zone
	if !e.start.IsZero() {
		zone = e.start.Location()
	}
	if loc, ok := eventZone(in.str("timezone")); ok {
		zone = loc
	}
	e.start, e.end = localTime(e.start, zone), localTime(e.end, zone)
	if at, ok := parseDate(in.str("start_date"), c.now, zone); ok {
		e.start = at
	}
	if at, ok := parseDate(in.str("end_date"), c.now, zone); ok {
		e.end = at
	}
	if in.given("all_day") {
		e.allDay = in.bool("all_day")
	}
	if e.allDay {
		e.start, e.end = midnight(e.start), endOfDay(e.end)
	}
	e.reckon()
	if in.given("cost") {
		e.cost = in.str("cost")
	}
	if in.given("featured") {
		e.featured = in.bool("featured")
	}
	e.sticky = in.bool("sticky")
	for name, to := range map[string]*[]int{"tribe_events_cat": &e.categories, "tags": &e.tags, "venues": &e.venues, "organizers": &e.organizers} {
		if in.given(name) {
			*to = in.ints(name)
		}
	}
}
