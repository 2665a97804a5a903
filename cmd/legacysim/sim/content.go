package sim

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// seed returns the content of a language: more is how many events there are beyond the usual ones.
func seed(lang *language, now time.Time, extra int) *blog {
	s := &seeder{blog: newBlog(lang), today: midnight(now.In(lang.zone))}
	s.addImages()
	s.addTerms()
	s.addVenues()
	s.addOrganizers()
	s.addSpecials()
	s.addSeries(extra)
	return s.blog
}

// newBlogs seeds the content of each language: one for all but in the mode Apart.
func (s *Site) newBlogs() map[string]*blog {
	mode := s.opts.Languages
	blogs := map[string]*blog{}
	joint := newBlog(s.languages[0])
	for i, lang := range s.languages {
		blogs[lang.code] = joint
		n := (s.opts.Events + len(s.languages) - 1 - i) / len(s.languages) // dealt in turn, the first to the default language
		switch {
		case mode.oneItem() && i > 0: // the other languages have no separate items
			continue
		case mode.oneItem():
			n = s.opts.Events
		}
		b := seed(lang, s.opts.Clock(), n)
		if mode == Apart {
			blogs[lang.code] = b
			continue
		}
		joint.take(b)
		if mode == Fallback {
			joint.groupItems(b)
		}
	}
	return blogs
}

// Translate makes a post the translation of another, as the translation plugin does
// once both are there.
func (s *Site) Translate(id, originalID int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.blogs {
		p, original := b.post(id), b.post(originalID)
		if p != nil && original != nil {
			b.group(&original.item, cmp.Or(original.group, "written"+itoa(originalID)))
			b.group(&p.item, original.group)
		}
	}
}

// take adds another language's content to the blog, as one WordPress has it: slugs are
// unique.
func (b *blog) take(source *blog) {
	for _, p := range source.byID {
		if p.slug != "" {
			p.slug = b.freeSlug(p.kind, p.slug, p.id)
		}
		b.put(p)
	}
	for _, id := range slices.Sorted(maps.Keys(source.terms)) {
		t := source.terms[id]
		t.slug = b.freeTermSlug(t.kind, t.slug)
		b.terms[id] = t
	}
	b.lastPost = source.lastPost
	b.lastTerm = source.lastTerm
}
