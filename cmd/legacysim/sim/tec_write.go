package sim

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// tecCreate requires a title, and dates for an event. Other faults are not reported.
func (c *call) tecCreate() (*answer, error) {
	k := c.route.kind
	failed := tecError(500, "Failed to create entity.")
	p := c.newPost(k)
	if k == eventKind && !c.tecNewDates(p.event) {
		return failed, nil
	}
	change := c.tecChange()
	change.date = c.tecPublished()
	change.dateUTC = change.date
	if change.title == nil || c.savePost(p, change) != nil {
		return failed, nil
	}
	c.tecApply(p)
	return &answer{status: 201, body: c.tecPost(p, false)}, nil
}

// tecUpdate changes the fields that the request names, and the status: a request without a status publishes
// the item.
func (c *call) tecUpdate() (*answer, error) {
	p := c.blog.find(c.route.kind, c.params.int("id"))
	switch {
	case p == nil:
		return tecError(404, "The entity could not be updated."), nil
	case p.status == "trash":
		return tecError(500, "Failed to update entity."), nil
	}
	change := c.tecChange()
	date := p.date
	dateUTC := utcOf(p.dateUTC, p.date)
	if published := c.tecPublished(); published != nil {
		date = *published
		dateUTC = *published
	}
	change.date = &date
	change.dateUTC = &dateUTC
	if p.event != nil {
		c.tecMove(p.event)
	}
	if err := c.savePost(p, change); err != nil {
		return tecError(500, "Failed to update entity."), nil
	}
	c.tecApply(p)
	return success(c.tecPost(p, false))
}

// tecDelete answers with an empty list, also where the item is gone for good.
func (c *call) tecDelete() (*answer, error) {
	p := c.blog.find(c.route.kind, c.params.int("id"))
	switch {
	case p == nil:
		return tecError(404, "The entity could not be deleted."), nil
	case phpTrue(c.params["force"]):
		p.status = "trash"
		p.isMissing = true
		return success(list{})
	case p.status == "trash":
		return tecError(410, "The entity has already been trashed."), nil
	}
	return &answer{status: 200, body: list{}}, c.trash(p, "entity")
}

// tecChange is the change of a request to the post. Everybody who may write at all may
// publish.
func (c *call) tecChange() postChange {
	input := c.params
	return postChange{
		title:   c.tecTextIn("title", cleanTitle),
		content: c.tecTextIn("content", cleanContent), excerpt: c.tecTextIn("excerpt", cleanContent),
		slug: c.tecTextIn("slug", slugify), author: input.int("author"), status: cmp.Or(input.str("status"), "publish"),
	}
}

// tecTextIn is a text of the request, made safe, or nil. An empty title or slug is nil.
func (c *call) tecTextIn(name string, clean func(string) string) *string {
	s := c.params.text(name)
	if s == nil {
		return nil
	}
	text := clean(*s)
	if text == "" && (name == "title" || name == "slug") {
		return nil
	}
	return &text
}

// script matches elements that are removed together with their content.
var script = regexp.MustCompile(`(?is)<(script|style)\b.*?</(?:script|style)>`)

// cleanTitle and cleanContent filter the texts of all users alike.
func cleanTitle(s string) string {
	return strings.TrimSpace(anyTag.ReplaceAllString(script.ReplaceAllString(s, ""), ""))
}

func cleanContent(s string) string { return kses(script.ReplaceAllString(s, "")) }

// tecApply writes the fields that a post of its kind has beyond a post.
func (c *call) tecApply(p *post) {
	if p.kind == eventKind {
		c.tecApplyEvent(p.event)
		return
	}
	for _, field := range definition(p).fields {
		name := field
		if field == "stateprovince" {
			name = "state_province"
		}
		if c.params.isGiven(name) {
			p.place.fields[field] = placeText(c.params[name])
		}
	}
}

// tecApplyEvent writes the fields of an event. False does not unfeature it, and of several venues the first
// counts.
func (c *call) tecApplyEvent(e *eventData) {
	input := c.params
	if input.isGiven("cost") {
		e.cost, e.symbol, e.symbolAfter = writtenCost(input["cost"], true)
	}
	e.featured = e.featured || phpTrue(input["featured"])
	e.sticky = phpTrue(input["sticky"])
	if ids := c.tecKnown("venues", venueKind); len(ids) > 0 {
		e.venues = ids[:1]
	}
	if input.isGiven("organizers") {
		e.organizers = c.tecKnown("organizers", organizerKind)
	}
	if input.isGiven("tags") {
		e.tags = c.tecTerms("tags", tagTaxonomy)
	}
	if input.isGiven("tribe_events_cat") {
		e.categories = c.tecTerms("tribe_events_cat", categoryTaxonomy)
	}
}

// tecTerms are the ids of a parameter that are terms.
func (c *call) tecTerms(name string, tax kind) []int {
	return slices.DeleteFunc(c.params.ints(name), func(id int) bool { return c.blog.term(tax, id) == nil })
}

// tecKnown are the ids of a parameter that are posts of the kind.
func (c *call) tecKnown(name string, k kind) []int {
	return slices.DeleteFunc(c.params.ints(name), func(id int) bool { return c.blog.find(k, id) == nil })
}
