package sim

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// floating are the statuses of posts that have no slug and no date_utc of their own.
var floating = []string{"draft", "pending", "auto-draft"}

// postChange is a write to a post. A nil field leaves the value unchanged.
type postChange struct {
	title, content, excerpt, slug *string
	author                        int // 0: stays
	status                        string
	// date is the date of publication, and dateUTC the date in UTC, which need not agree. A nil date follows
	// from the other date, and two nil dates mean now.
	date, dateUTC *time.Time
}

// savePost writes a post. A post without an id is new. An error changes nothing.
func (c *call) savePost(p *post, change postChange) error {
	title := strings.TrimSpace(*cmp.Or(change.title, &p.title))
	content := *cmp.Or(change.content, &p.content)
	excerpt := *cmp.Or(change.excerpt, &p.excerpt)
	if title == "" && content == "" && excerpt == "" {
		return c.root.lang.bare("empty_content")
	}
	oldStatus := p.status
	p.title, p.content, p.excerpt = title, content, excerpt
	p.author = cmp.Or(change.author, p.author)
	p.status = change.status
	c.datePost(p, change)
	p.modified = c.now
	p.modifiedUTC = c.now
	if p.id == 0 {
		p.modified = p.date
		p.modifiedUTC = p.dateUTC
		c.blog.addPost(p)
	}
	c.slugPost(p, oldStatus, change.slug)
	return nil
}

// datePost dates the post. A draft gets no date in UTC unless the request has one.
func (c *call) datePost(p *post, change postChange) {
	if p.id != 0 && slices.Contains(floating, p.status) && p.dateUTC.IsZero() {
		change.date, change.dateUTC = nil, nil // ignored before publication
	}
	p.date = *cmp.Or(change.date, change.dateUTC, &c.now)
	switch {
	case change.dateUTC != nil:
		p.dateUTC = *change.dateUTC
	case slices.Contains(floating, p.status):
		p.dateUTC = time.Time{}
	default:
		p.dateUTC = p.date
	}
	ahead := !p.dateUTC.Before(c.now.Add(time.Minute))
	switch {
	case p.status == "publish" && ahead:
		p.status = "future"
	case p.status == "future" && !ahead:
		p.status = "publish"
	}
}

// writtenDates returns the dates of a request. A number is an instant, a text the time on a clock at the
// site, whatever zone the text names.
func (c *call) writtenDates(input params) (date, dateUTC *time.Time) {
	dateOf := func(name string) *time.Time {
		t, ok := readDate(input.str(name), c.now, time.UTC)
		if !ok || !input.isGiven(name) {
			return nil
		}
		if _, ok := number(input[name]); !ok && name == "date" {
			t = localTime(t, c.root.lang.zone)
		}
		return &t
	}
	return dateOf("date"), dateOf("date_utc")
}

// slugPost preserves the slug of a draft, and sets one for other posts. A trashed post puts the slug aside,
// and gets the slug back when restored.
func (c *call) slugPost(p *post, oldStatus string, slug *string) {
	if slug != nil {
		p.slug = slugify(*slug)
	}
	if p.status == "pending" && !c.user.publishes() {
		p.slug = ""
	}
	if oldStatus == "trash" && p.status != "trash" && p.slugBefore != "" {
		p.slug = p.slugBefore
		p.slugBefore = ""
	}
	if slices.Contains(floating, p.status) {
		return
	}
	if p.slug == "" && (p.status != "trash" || oldStatus == "") {
		p.slug = slugify(p.title)
		if p.slug == "" {
			p.slug = itoa(p.id)
		}
	}
	if p.status == "trash" && oldStatus != "trash" && oldStatus != "" {
		p.slug, p.slugBefore = p.slug+trashedSuffix, p.slug
	}
	p.slug = c.blog.freeSlug(p.kind, p.slug, p.id)
}

// trash moves the post there; once more is an error. force changes nothing.
func (c *call) trash(p *post, noun string) error {
	if p.status == "trash" {
		return c.root.lang.fail(410, noun+"-is-in-trash")
	}
	return c.savePost(p, c.untouched(p, "trash"))
}

// untouched changes nothing but the status. A draft without a date in UTC gets
// new dates.
func (c *call) untouched(p *post, status string) postChange {
	change := postChange{status: status}
	date, dateUTC := p.date, p.dateUTC
	if !dateUTC.IsZero() {
		change.date = &date
		change.dateUTC = &dateUTC
	}
	return change
}

// newStatus returns the requested status, as far as the user may set that status. A request without a status
// publishes the post, if the user may publish.
func (c *call) newStatus(input params) string {
	requested := input.str("status")
	switch {
	case c.user.publishes():
		return cmp.Or(requested, "publish")
	case requested == "publish" || requested == "future":
		return "pending"
	}
	return cmp.Or(requested, "draft")
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
