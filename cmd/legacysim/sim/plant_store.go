package sim

import (
	"slices"
	"time"
)

// kindOf is the post type of a resource; "" for terms.
var kindOf = map[string]kind{eventResource: eventKind, venueDef.key: venueKind, organizerDef.key: organizerKind}

// taxonomyOf is the taxonomy of a resource; "" for posts.
var taxonomyOf = map[string]taxonomy{categoryDef.key: categoryTaxonomy, tagDef.key: tagTaxonomy}

// post returns the post of that id, or nil. What was planted as missing is not there.
func (b *blog) post(id int) *post {
	if p := b.posts[id]; p != nil && !p.gone {
		return p
	}
	return nil
}

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
// year from now too.
func (b *blog) shownIDs(resource string, now time.Time) []int {
	var ids []int
	if k := kindOf[resource]; k != "" {
		for _, p := range b.all(k, func(p *post) bool { return p.status == "publish" && p.password == "" }) {
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

// plant changes the store for missing or extra items, and notes the rest for the
// answers.
func (pl *planter) plant(p Plant) {
	b := pl.blogs[p.Language]
	switch p.Kind {
	case PlantMissing:
		if kindOf[p.Resource] != "" {
			b.posts[p.ID].gone = true
		} else {
			b.terms[p.ID].gone = true
		}
	case PlantExtra:
		b.addExtra(p, midnight(pl.site.opts.Clock().In(b.lang.zone)))
	default:
		if b.planted == nil {
			b.planted = map[plantedAt][]Plant{}
		}
		at := plantedAt{p.Resource, p.ID}
		b.planted[at] = append(b.planted[at], p)
	}
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
