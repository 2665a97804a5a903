package sim

import (
	"slices"
	"time"
)

// resources are the collections in the order of the specification.
var resources = []string{eventResource, venueDef.key, organizerDef.key, categoryDef.key, tagDef.key}

const eventResource = "events"

// plantFields are the fields that every item of a resource has, and of which nothing
// else in its answer is made.
var plantFields = map[string]map[PlantKind][]string{
	eventResource: {
		PlantNoField: {"timezone_abbr", "excerpt", "cost", "show_map"},
		PlantType:    {"author", "all_day", "featured", "cost_details"},
		PlantValue:   {"title", "timezone", "cost", "start_date", "sticky"},
	},
	venueDef.key:     {PlantNoField: {"status", "show_map_link"}, PlantType: {"author", "show_map"}, PlantValue: {"venue", "status"}},
	organizerDef.key: {PlantNoField: {"status", "date"}, PlantType: {"author", "status"}, PlantValue: {"organizer", "date_utc"}},
	categoryDef.key:  {PlantNoField: {"description", "parent"}, PlantType: {"count", "parent"}, PlantValue: {"name", "description"}},
	tagDef.key:       {PlantNoField: {"description", "count"}, PlantType: {"count", "slug"}, PlantValue: {"name", "count"}},
}

// kindOf is the post type of a resource; "" for terms.
var kindOf = map[string]kind{eventResource: eventKind, venueDef.key: venueKind, organizerDef.key: organizerKind}

// taxonomyOf is the taxonomy of a resource; "" for posts.
var taxonomyOf = map[string]taxonomy{categoryDef.key: categoryTaxonomy, tagDef.key: tagTaxonomy}

func (b *blog) has(resource string, id int) bool {
	if k := kindOf[resource]; k != "" {
		return b.find(k, id) != nil
	}
	t := b.terms[id]
	return t != nil && !t.gone && t.taxonomy == taxonomyOf[resource]
}

func (b *blog) nextID(resource string) int {
	if kindOf[resource] != "" {
		return b.lastPost + 1
	}
	return b.lastTerm + 1
}

// shownIDs are the items that everybody sees whole in a list without filters, in a
// year from now too, and by their slugs.
func (b *blog) shownIDs(resource string, now time.Time) []int {
	var ids []int
	if k := kindOf[resource]; k != "" {
		for _, p := range b.all(k, func(p *post) bool { return p.status == "publish" && p.password == "" && p.parent == 0 }) {
			if e := p.event; e == nil || !e.hidden && e.start.After(now.AddDate(0, 0, 2)) && e.start.Before(now.AddDate(0, 18, 0)) {
				ids = append(ids, p.id)
			}
		}
		return ids
	}
	used := map[int]bool{}
	for _, p := range b.all(eventKind, func(p *post) bool { return p.status == "publish" }) {
		for _, id := range slices.Concat(p.event.categories, p.event.tags) {
			used[id] = true
		}
	}
	for id, t := range b.terms {
		if used[id] && !t.gone && t.taxonomy == taxonomyOf[resource] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// addExtra adds an item that nothing refers to and that refers to nothing.
func (b *blog) addExtra(p Plant, today time.Time) {
	name := "Extra " + itoa(p.ID)
	if tax := taxonomyOf[p.Resource]; tax != "" {
		last := b.lastTerm
		b.lastTerm = p.ID - 1
		b.newTerm(tax, name, "", 0)
		b.lastTerm = max(last, p.ID)
		return
	}
	date := today.AddDate(0, 0, -1)
	extra := &post{kind: kindOf[p.Resource], author: 1, status: "publish", date: date, modified: date, title: name, slug: slugify(name)}
	if extra.kind == eventKind {
		start := today.AddDate(0, 0, 30+p.ID%300).Add(19 * time.Hour)
		extra.event = &eventData{start: start, end: start.Add(time.Hour)}
	} else {
		extra.place = &placeData{fields: map[string]string{}}
	}
	last := b.lastPost
	b.lastPost = p.ID - 1
	b.addPost(extra)
	b.lastPost = max(last, p.ID)
}
