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
	PlantNoField PlantKind = "nofield" // a field is left out
	PlantType    PlantKind = "type"    // a field has another JSON type
	PlantValue   PlantKind = "value"   // a field has another value
	PlantOrder   PlantKind = "order"   // every page of the list runs backwards
	PlantTotal   PlantKind = "total"   // the list counts more items than there are
)

var plantKinds = []PlantKind{PlantMissing, PlantNoField, PlantType, PlantValue, PlantOrder, PlantTotal}

// Plant is a difference that a site is seeded with. A plant shows in answers to reads of the item and of
// lists of the resource, and nowhere else: not in representations of the item inside others, nor in counts of
// terms. So one plant is one difference, but for a missing item, which the total of the list shows too.
type Plant struct {
	Kind     PlantKind
	Resource string // events, venues, organizers, categories or tags; "" for any
	Language string // "" for any
	ID       int    // of the item; 0 for any that has no plant yet
	Field    string // the name in answers; "" chooses a field that every item has
	Seed     uint64 // of the random choices of empty fields
}

// SomePlants returns n plants of all kinds in turn, with everything else left open.
func SomePlants(n int, seed uint64) []Plant {
	plants := make([]Plant, n)
	for i := range plants {
		plants[i] = Plant{Kind: plantKinds[i%len(plantKinds)], Seed: seed<<32 + uint64(i)}
	}
	return plants
}

// wrongTotal is the number of items that a list counts in excess.
const wrongTotal = 1000

// showPlants changes the answer to a read as was planted.
func (c *call) showPlants(a *answer) {
	body, isObject := a.body.(object)
	if len(c.site.planted) == 0 || !isObject {
		return
	}
	resource, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(c.root.path, "/"+namespace+"/")), "/")
	items, isList := body.get(resource).(list)
	for _, p := range c.site.planted {
		switch {
		case p.Language != c.root.lang.code || p.Resource != resource:
		case !isList:
			a.body = p.show(a.body.(object))
		case p.Kind == PlantOrder:
			slices.Reverse(items)
		case p.Kind == PlantTotal:
			total := body.get("total").(int) + wrongTotal
			body.set("total", total)
			a.headers.set("X-TEC-Total", total)
		default:
			for i := range items {
				items[i] = p.show(items[i].(object))
			}
		}
	}
}

// show changes the item of the plant, and leaves others unchanged.
func (p Plant) show(item object) object {
	if item.get("id") != p.ID {
		return item
	}
	switch v := item.get(p.Field); p.Kind {
	case PlantNoField:
		return item.without(p.Field)
	case PlantType:
		item.set(p.Field, otherType(v))
	case PlantValue:
		item.set(p.Field, otherValue(v))
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
		if t, err := time.Parse(dateTime, v); err == nil {
			return t.AddDate(0, 0, 1).Format(dateTime)
		}
		return v + " (planted)"
	}
	return v
}

const eventResource = "events"

// kindOf is the post type or the taxonomy of a resource.
var kindOf = map[string]kind{
	eventResource: eventKind, "venues": venueKind, "organizers": organizerKind, "categories": categoryTaxonomy, "tags": tagTaxonomy,
}

// plantFields are fields that every item of a resource has. Nothing else in the answer follows from them.
var plantFields = map[string]map[PlantKind][]string{
	eventResource: {
		PlantNoField: {"timezone_abbr", "excerpt", "cost", "show_map"},
		PlantType:    {"author", "all_day", "featured", "cost_details"},
		PlantValue:   {"title", "timezone", "cost", "start_date", "sticky"},
	},
	"venues":     {PlantNoField: {"status", "show_map_link"}, PlantType: {"author", "show_map"}, PlantValue: {"venue", "status"}},
	"organizers": {PlantNoField: {"status", "date"}, PlantType: {"author", "status"}, PlantValue: {"organizer", "date_utc"}},
	"categories": {PlantNoField: {"description", "parent"}, PlantType: {"count", "parent"}, PlantValue: {"name", "description"}},
	"tags":       {PlantNoField: {"description", "count"}, PlantType: {"count", "slug"}, PlantValue: {"name", "count"}},
}

// Plants are the differences that this site has, after all choices. A plant that found no item is missing.
func (s *Site) Plants() []Plant { return slices.Clone(s.planted) }

// sow plants all plants, and makes their open choices, in their order.
func (s *Site) sow() {
	for _, p := range s.opts.Planted {
		if !p.choose(s) {
			continue
		}
		s.planted = append(s.planted, p)
		switch b := s.blogs[p.Language]; {
		case p.Kind == PlantMissing && kindOf[p.Resource].ofTerms():
			b.terms[p.ID].isMissing = true
		case p.Kind == PlantMissing:
			b.posts[p.ID].isMissing = true
		}
	}
}

// choose makes the open choices of a plant; false if there is nothing to choose from.
func (p *Plant) choose(s *Site) bool {
	random := rand.New(rand.NewPCG(p.Seed, 0))
	resources := mapping.Resources()
	for _, i := range random.Perm(len(languages()) * len(resources)) {
		lang := languages()[i%len(languages())].code
		resource := resources[i/len(languages())]
		if p.Language != "" && p.Language != lang || p.Resource != "" && p.Resource != resource {
			continue
		}
		ids := s.openTo(*p, lang, resource)
		if len(ids) == 0 {
			continue
		}
		p.Language, p.Resource, p.ID = lang, resource, ids[random.IntN(len(ids))]
		fields := plantFields[resource][p.Kind]
		if p.Field == "" && len(fields) > 0 {
			p.Field = fields[random.IntN(len(fields))]
		}
		return true
	}
	return false
}

// openTo are the ids in a list that have room for the plant; 0 is the list itself.
func (s *Site) openTo(p Plant, lang, resource string) []int {
	ids := []int{0}
	if p.Kind != PlantOrder && p.Kind != PlantTotal {
		ids = s.blogs[lang].plainItems(resource, s.opts.Clock())
	}
	return slices.DeleteFunc(ids, func(id int) bool {
		return p.ID != 0 && p.ID != id || slices.ContainsFunc(s.planted, func(q Plant) bool {
			return q.Language == lang && q.Resource == resource && q.ID == id && (id != 0 || q.Kind == p.Kind)
		})
	})
}

// plainItems are the ids of items that everybody sees whole without filters, in a year from now too,
// and by their slugs.
func (b *blog) plainItems(resource string, now time.Time) (ids []int) {
	isPublic := func(p *post) bool { return p.status == "publish" && p.password == "" && p.parent == 0 }
	for _, p := range b.selectPosts(kindOf[resource], isPublic) {
		if e := p.event; e == nil || !e.hidden && e.start.After(now.AddDate(0, 0, 2)) && e.start.Before(now.AddDate(0, 18, 0)) {
			ids = append(ids, p.id)
		}
	}
	for id := range b.countTerms() {
		if b.term(kindOf[resource], id) != nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
