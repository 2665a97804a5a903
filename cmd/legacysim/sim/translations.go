package sim

// groupItems makes the nth thing of a kind the translation of the nth in every other
// language.
func (b *blog) groupItems() {
	seen := map[string]int{}
	next := func(of string) group {
		seen[of]++
		return group{of, seen[of]}
	}
	for _, p := range b.byID {
		p.group = next(string(p.kind))
	}
	for id := b.lang.firstTerm + 1; id <= b.lastTerm; id++ {
		if t := b.terms[id]; t != nil {
			t.group = next(string(t.taxonomy))
		}
	}
}

// take adds another language's content to the blog, as one WordPress has it: slugs are
// unique.
func (b *blog) take(other *blog) {
	for _, p := range other.byID {
		if p.slug != "" && p.of == nil {
			p.slug = b.freeSlug(p.kind, p.slug, p.id)
		}
		b.put(p)
		b.translations[inGroup{p.group, p.lang.code}] = p.id
	}
	for id := other.lang.firstTerm + 1; id <= other.lastTerm; id++ {
		t := other.terms[id]
		if t == nil {
			continue
		}
		t.slug = b.freeTermSlug(t.taxonomy, t.slug)
		b.terms[id] = t
		b.translations[inGroup{t.group, t.lang.code}] = id
	}
	b.lastPost, b.lastTerm = other.lastPost, other.lastTerm
}

// inLanguage is the published translation of a post, or else the post: what a site
// shows that falls back to the original.
func (b *blog) inLanguage(p *post, lang *language) *post {
	if t := b.post(b.translations[inGroup{p.group, lang.code}]); t != nil && t.status == "publish" {
		return t
	}
	return p
}

func (b *blog) termInLanguage(t *term, lang *language) *term {
	if other := b.terms[b.translations[inGroup{t.group, lang.code}]]; other != nil {
		return other
	}
	return t
}

// Translate makes a post the translation of another, as the translation plugin does
// once both are there.
func (s *Site) Translate(id, of int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.blogs {
		p, original := b.post(id), b.post(of)
		if p == nil || original == nil {
			continue
		}
		if original.group.number == 0 {
			original.group = group{string(original.kind), -of}
			b.translations[inGroup{original.group, original.lang.code}] = of
		}
		p.group = original.group
		b.translations[inGroup{p.group, p.lang.code}] = id
	}
}
