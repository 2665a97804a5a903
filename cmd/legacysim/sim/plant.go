package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

// PlantKind is a way in which a second site can differ from the first.
type PlantKind string

// The kinds. Kinds of a list need no id.
const (
	PlantMissing PlantKind = "missing" // the item is in no list and cannot be read
	PlantExtra   PlantKind = "extra"   // an item that the first site does not have
	PlantNoField PlantKind = "nofield" // a field is left out
	PlantType    PlantKind = "type"    // a field has another JSON type
	PlantValue   PlantKind = "value"   // a field has another value
	PlantOrder   PlantKind = "order"   // every page of the list runs backwards
	PlantTotal   PlantKind = "total"   // the list counts more items than there are
)

// Plant is a difference that a site is seeded with. It shows in answers to reads of
// the item itself and of lists of its resource, and in nothing else: not in representations of
// the item inside others, nor in counts of terms. So one plant is one difference, but
// for a missing or extra item, which the total of its list shows too. An extra term
// has no events: only lists with hide_empty=false have it.
type Plant struct {
	Kind     PlantKind
	Resource string // events, venues, organizers, categories or tags; "" for any
	Language string // "" for any
	ID       int    // of the item; 0 for any that has no plant yet. That of an extra item is the next that is free
	Field    string // its name in answers; "" for one that every item has
	Seed     uint64 // what chooses where something is left to choose
}

// SomePlants returns n plants of all kinds in turn, with everything else left open. Those
// of lists come up to five times each: there are few lists.
func SomePlants(n int, seed uint64) []Plant {
	const ofLists = 5
	kinds := []PlantKind{PlantMissing, PlantExtra, PlantNoField, PlantType, PlantValue, PlantOrder, PlantTotal}
	plants := make([]Plant, n)
	for i := range plants {
		kind := kinds[i%len(kinds)]
		if i >= ofLists*len(kinds) {
			kind = kinds[i%(len(kinds)-2)]
		}
		plants[i] = Plant{Kind: kind, Seed: seed<<32 + uint64(i)}
	}
	return plants
}

// place has room for one plant: an item, or a list for one of each kind.
func (p Plant) place() Plant {
	at := Plant{Language: p.Language, Resource: p.Resource, ID: p.ID}
	if p.ID == 0 {
		at.Kind = p.Kind
	}
	return at
}

// wrongTotal is the number of items that a list counts in excess.
const wrongTotal = 1000

// showPlants changes the answer to a read as was planted.
func (c *call) showPlants(a *answer) {
	body, isObject := a.body.(object)
	if len(c.blog.planted) == 0 || !isObject {
		return
	}
	resource, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(c.root.path, "/"+namespace+"/")), "/")
	if !a.list {
		a.body = c.blog.showInItem(resource, body)
		return
	}
	items, _ := body.get(resource).(list)
	for i := range items {
		items[i] = c.blog.showInItem(resource, items[i].(object))
	}
	for _, p := range c.blog.planted[plantedAt{resource, 0}] {
		switch p.Kind {
		case PlantOrder:
			slices.Reverse(items)
		case PlantTotal:
			a.total += wrongTotal
			body.set("total", a.total)
		}
	}
}

func (b *blog) showInItem(resource string, item object) object {
	id, _ := item.get("id").(int)
	if id == 0 {
		return item
	}
	for _, p := range b.planted[plantedAt{resource, id}] {
		switch p.Kind {
		case PlantNoField:
			item = item.without(p.Field)
		case PlantType:
			item.set(p.Field, otherType(item.get(p.Field)))
		case PlantValue:
			item.set(p.Field, otherValue(item.get(p.Field)))
		}
	}
	return item
}

// otherType is a value of another JSON type.
func otherType(v any) any {
	if _, isText := v.(string); isText {
		return nil
	}
	return fmt.Sprint(v)
}

// otherValue is another value of the same type.
func otherValue(v any) any {
	switch v := v.(type) {
	case int:
		return v + 1
	case bool:
		return !v
	case string:
		if at, err := time.Parse(dateTime, v); err == nil {
			return at.AddDate(0, 0, 1).Format(dateTime)
		}
		return v + " (planted)"
	}
	return v
}

const eventResource = "events"

// kindOf is the post type of a resource, and taxonomyOf its taxonomy.
var (
	kindOf     = map[string]kind{eventResource: eventKind, venueDef.key: venueKind, organizerDef.key: organizerKind}
	taxonomyOf = map[string]taxonomy{categoryDef.key: categoryTaxonomy, tagDef.key: tagTaxonomy}
)

// plantFields are fields that every item of a resource has. Nothing else in its answer
// follows from them.
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

// Plants are the differences that this site has, with nothing left to choose. One
// that found no item is not among them.
func (s *Site) Plants() []Plant { return slices.Clone(s.planted) }

// sow plants all plants, and chooses in their order what they leave open.
func (s *Site) sow() {
	taken := map[Plant]bool{}
	for _, p := range s.opts.Planted {
		if p, ok := s.settle(p, taken); ok {
			taken[p.place()] = true
			s.blogs[p.Language].plant(p, s.opts.Clock())
			s.planted = append(s.planted, p)
		}
	}
}

// settle makes the open choices of a plant; false if there is nothing to choose from.
func (s *Site) settle(p Plant, taken map[Plant]bool) (Plant, bool) {
	random := rand.New(rand.NewPCG(p.Seed, 0))
	var lists []Plant
	for _, lang := range languages {
		for _, resource := range mapping.Resources() {
			rare := p.Kind == PlantExtra && p.Resource == "" && taxonomyOf[resource] != "" // few lists would have it
			if (p.Language == "" || p.Language == lang.code) && (p.Resource == "" || p.Resource == resource) && !rare {
				one := p
				one.Language, one.Resource = lang.code, resource
				lists = append(lists, one)
			}
		}
	}
	random.Shuffle(len(lists), func(i, j int) { lists[i], lists[j] = lists[j], lists[i] })
	for _, list := range lists {
		open := slices.DeleteFunc(s.blogs[list.Language].choices(list, s.opts.Clock()), func(p Plant) bool { return taken[p.place()] })
		if len(open) == 0 {
			continue
		}
		one := open[random.IntN(len(open))]
		if fields := plantFields[one.Resource][one.Kind]; one.Field == "" && len(fields) > 0 {
			one.Field = fields[random.IntN(len(fields))]
		}
		return one, true
	}
	return p, false
}

// choices are the places in a list that a plant could have: items that everybody sees whole
// without filters, in a year from now too, and by their slugs.
func (b *blog) choices(p Plant, now time.Time) []Plant {
	var out []Plant
	add := func(id int) {
		if at := p; p.ID == 0 || p.ID == id {
			at.ID = id
			out = append(out, at)
		}
	}
	k, tax := kindOf[p.Resource], taxonomyOf[p.Resource]
	switch {
	case p.Kind == PlantOrder || p.Kind == PlantTotal:
		return []Plant{p}
	case p.Kind == PlantExtra && k != "":
		add(b.lastPost + 1)
	case p.Kind == PlantExtra:
		add(b.lastTerm + 1)
	case k != "":
		for _, p := range b.all(k, func(p *post) bool { return p.status == "publish" && p.password == "" && p.parent == 0 }) {
			if e := p.event; e == nil || !e.hidden && e.start.After(now.AddDate(0, 0, 2)) && e.start.Before(now.AddDate(0, 18, 0)) {
				add(p.id)
			}
		}
	default:
		counts := b.countTerms()
		for id := b.lang.firstTerm; id <= b.lastTerm; id++ {
			if t := b.terms[id]; t != nil && counts[id] > 0 && !t.gone && t.taxonomy == tax {
				add(id)
			}
		}
	}
	return out
}

// plant changes the store for missing or extra items, and notes the rest for the
// answers.
func (b *blog) plant(p Plant, now time.Time) {
	switch k := kindOf[p.Resource]; {
	case p.Kind == PlantMissing && k != "":
		b.posts[p.ID].gone = true
	case p.Kind == PlantMissing:
		b.terms[p.ID].gone = true
	case p.Kind == PlantExtra && k != "":
		b.addPost(extraPost(k, "Extra "+itoa(p.ID), midnight(now.In(b.lang.zone)), p.ID))
	case p.Kind == PlantExtra:
		b.newTerm(taxonomyOf[p.Resource], "Extra "+itoa(p.ID), "", 0)
	default:
		at := plantedAt{p.Resource, p.ID}
		b.planted[at] = append(b.planted[at], p)
	}
}

// extraPost is an item that nothing refers to and that refers to nothing.
func extraPost(k kind, name string, today time.Time, id int) *post {
	date := today.AddDate(0, 0, -1)
	p := &post{kind: k, author: 1, status: "publish", date: date, modified: date, title: name, slug: slugify(name)}
	if k == eventKind {
		start := today.AddDate(0, 0, 30+id%300).Add(19 * time.Hour)
		p.event = &eventData{start: start, end: start.Add(time.Hour)}
	} else {
		p.place = &placeData{fields: map[string]string{}}
	}
	return p
}
