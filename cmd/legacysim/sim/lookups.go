package sim

import (
	"slices"
	"time"
)

// lookups are found out from the content of a blog once, and used until a request changes it:
// to count the terms of 20,000 events for each of them takes minutes.
type lookups struct {
	counts  map[int]int          // published events, by term
	slugs   map[slugOfKind]*post // the first post with the slug
	byStart []*post              // the listed events, by their start
}

type slugOfKind struct {
	kind kind
	slug string
}

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

// change has the blogs without lookups until done is called. The site is locked meanwhile.
func (s *Site) change() (done func()) {
	set := func(changes bool) {
		for _, b := range s.blogs {
			b.changes = changes
			b.lookups.Store(nil)
		}
	}
	set(true)
	return func() { set(false) }
}
