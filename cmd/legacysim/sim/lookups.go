package sim

import (
	"slices"
	"time"
)

// known returns the lookups; nil while the content changes.
func (b *blog) known() *lookups {
	if b.changes {
		return nil
	}
	if l := b.lookups.Load(); l != nil {
		return l
	}
	l := b.look()
	b.lookups.Store(l)
	return l
}

func (b *blog) look() *lookups {
	l := &lookups{counts: b.countTerms(), slugs: map[slugOfKind]*post{}}
	for _, p := range b.byID {
		if at := (slugOfKind{p.kind, p.slug}); !p.gone && l.slugs[at] == nil {
			l.slugs[at] = p
		}
	}
	l.byStart = b.all(eventKind, func(*post) bool { return true })
	sortByStart(l.byStart)
	return l
}

// countTerms returns how many published events have each term.
func (b *blog) countTerms() map[int]int {
	counts := map[int]int{}
	for _, p := range b.posts {
		if p.kind != eventKind || p.status != "publish" {
			continue
		}
		for _, t := range slices.Concat(p.event.categories, p.event.tags) {
			counts[t]++
		}
	}
	return counts
}

// eventsByStart returns the events that pass, by their start.
func (b *blog) eventsByStart(pass func(*post) bool) []*post {
	l := b.known()
	if l == nil {
		found := b.all(eventKind, pass)
		sortByStart(found)
		return found
	}
	var found []*post
	for _, p := range l.byStart {
		if pass(p) {
			found = append(found, p)
		}
	}
	return found
}

func sortByStart(events []*post) {
	slices.SortStableFunc(events, func(a, b *post) int {
		return localTime(a.event.start, time.UTC).Compare(localTime(b.event.start, time.UTC))
	})
}

// bySlug returns the post of that kind and slug, or nil. A slug of which nothing is
// left finds the first post that has none, which is some draft. One that has a parent is
// not found: WordPress looks it up by the slugs of both.
func (b *blog) bySlug(k kind, slug string) *post {
	if p := b.withSlug(k, slugify(slug)); p != nil && p.parent == 0 {
		return p
	}
	return nil
}

func (b *blog) withSlug(k kind, slug string) *post {
	if l := b.known(); l != nil {
		return l.slugs[slugOfKind{k, slug}]
	}
	for _, p := range b.byID {
		if p.kind == k && !p.gone && p.slug == slug {
			return p
		}
	}
	return nil
}

// freeSlug appends -2, -3 and so on until no other post of the kind has the slug.
func (b *blog) freeSlug(k kind, want string, self int) string {
	taken := func(slug string) bool {
		return slices.ContainsFunc(b.byID, func(p *post) bool { return p.kind == k && !p.gone && p.slug == slug && p.id != self && p.of == nil })
	}
	slug := want
	for n := 2; taken(slug); n++ {
		slug = want + "-" + itoa(n)
	}
	return slug
}
