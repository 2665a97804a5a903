package sim

import (
	"math/rand/v2"
	"slices"
)

// Plants are the differences that this site has, with nothing left to choose. One
// that found no item is not among them.
func (s *Site) Plants() []Plant {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.planted)
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
