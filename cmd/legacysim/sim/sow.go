package sim

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

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
		b := s.blogs[p.Language]
		switch {
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
		e := p.event
		if e == nil || !e.hidden && e.start.After(now.AddDate(0, 0, 2)) && e.start.Before(now.AddDate(0, 18, 0)) {
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
