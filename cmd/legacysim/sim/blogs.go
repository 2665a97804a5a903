package sim

import "time"

// newBlogs seeds the content of each language: one for all but in the mode Apart.
func (s *Site) newBlogs() map[string]*blog {
	now, n := s.opts.Clock(), s.opts.Events
	if s.opts.Languages.oneItem() { // and the other languages' events are none
		return s.shared(seed(s.languages[0], now, n, s.opts.Recurring))
	}
	blogs, one := map[string]*blog{}, newBlog(s.languages[0])
	for i, lang := range s.languages { // events are dealt in turn, the first to the default language
		b := seed(lang, now, (n+len(s.languages)-1-i)/len(s.languages), s.opts.Recurring)
		b.groupItems()
		blogs[lang.code] = b
		if s.opts.Languages != Apart {
			one.take(b)
		}
	}
	if s.opts.Languages == Apart {
		return blogs
	}
	if s.opts.Languages.byParameter() {
		one.addWithoutLanguage(now)
	}
	return s.shared(one)
}

// addWithoutLanguage adds an event that was there before the plugin was.
func (b *blog) addWithoutLanguage(now time.Time) {
	start := midnight(now).AddDate(0, 0, 3)
	p := &post{
		kind: eventKind, author: 1, status: "publish", title: "Old Tradition", slug: "old-tradition",
		date: now, dateUTC: now, modified: now, modifiedUTC: now,
		event: &eventData{start: start, end: start.Add(time.Hour), showMap: true, mapLink: true},
	}
	p.event.reckon()
	b.addPost(p).lang = nil
}

func (s *Site) shared(one *blog) map[string]*blog {
	blogs := map[string]*blog{}
	for _, lang := range s.languages {
		blogs[lang.code] = one
	}
	return blogs
}
