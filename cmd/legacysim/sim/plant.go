package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// PlantKind is a way in which a second site can differ from the first.
type PlantKind string

// The kinds. Those of a list need no id.
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
	ID       int    // of the item; 0 for any that has no plant yet (of an extra one: for the next that is free)
	Field    string // its name in answers; "" for one that every item has
	Seed     uint64 // what chooses where something is left to choose
}

// String names the plant in one line.
func (p Plant) String() string {
	s := fmt.Sprintf("%s %s %s", p.Kind, p.Language, p.Resource)
	if p.ID != 0 {
		s += " " + itoa(p.ID)
	}
	if p.Field != "" {
		s += " " + p.Field
	}
	return s
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

// Plants are the differences that this site has, with nothing left to choose. One
// that found no item is not among them.
func (s *Site) Plants() []Plant {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.planted)
}

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

// planter puts plants into fresh blogs.
type planter struct {
	blogs map[string]*blog
	site  *Site
	taken map[string]bool
}

// sow plants all plants, and chooses in their order what they leave open.
func (s *Site) sow(blogs map[string]*blog) []Plant {
	pl := planter{blogs: blogs, site: s, taken: map[string]bool{}}
	var done []Plant
	for _, p := range s.opts.Planted {
		if p, ok := pl.settle(p); ok {
			pl.plant(p)
			done = append(done, p)
		}
	}
	return done
}

// settle makes the open choices of a plant; false if there is nothing to choose from.
func (pl *planter) settle(p Plant) (Plant, bool) {
	random := rand.New(rand.NewPCG(p.Seed, 0))
	var open []Plant
	for _, lang := range languages {
		for _, resource := range resources {
			if (p.Language == "" || p.Language == lang.code) && (p.Resource == "" || p.Resource == resource) {
				one := p
				one.Language, one.Resource = lang.code, resource
				open = append(open, one)
			}
		}
	}
	random.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	for _, one := range open {
		if one.Kind == PlantExtra && p.Resource == "" && taxonomyOf[one.Resource] != "" {
			continue // few lists would have it
		}
		if one, ok := pl.item(one, random); ok {
			pl.taken[one.place()] = true
			return one, true
		}
	}
	return p, false
}

// place is what has room for one plant: an item, or a list for one of each kind.
func (p Plant) place() string {
	place := p.Language + " " + p.Resource + " " + itoa(p.ID)
	if p.ID == 0 {
		place += string(p.Kind)
	}
	return place
}

// item chooses the item and the field.
func (pl *planter) item(p Plant, random *rand.Rand) (Plant, bool) {
	b := pl.blogs[p.Language]
	switch p.Kind {
	case PlantOrder, PlantTotal:
		return p, !pl.taken[p.place()]
	case PlantExtra:
		if p.ID == 0 {
			p.ID = b.nextID(p.Resource)
		}
		return p, !b.has(p.Resource, p.ID)
	}
	if fields := plantFields[p.Resource][p.Kind]; p.Field == "" && len(fields) > 0 {
		p.Field = fields[random.IntN(len(fields))]
	}
	if p.ID != 0 {
		return p, b.has(p.Resource, p.ID) && !pl.taken[p.place()]
	}
	var ids []int
	for _, id := range b.shownIDs(p.Resource, pl.site.opts.Clock()) {
		p.ID = id
		if !pl.taken[p.place()] {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return p, false
	}
	p.ID = ids[random.IntN(len(ids))]
	return p, true
}
