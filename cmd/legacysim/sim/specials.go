package sim

import "time"

// addSpecials adds one event of every kind that has ever made trouble. Their
// ids are the first of all events, in this order.
func (s *seeder) addSpecials() {
	t := s.lang.Special
	shared := languages()[0].Special
	locked := len(s.venues) - 2
	symbol := func(cost, symbol string) func(*post) {
		return func(p *post) { p.event.cost, p.event.symbol = cost, symbol }
	}
	s.special(20, t["sticky"], func(p *post) { p.event.sticky = true })
	s.special(21, t["hidden"], func(p *post) { p.event.hidden = true })
	s.special(22, t["featured"], symbol("99", "$"), func(p *post) { p.event.featured, p.image = true, s.images[1] })
	s.special(23, t["locked"], s.linked(1, 1), func(p *post) {
		p.password = eventPassword
		p.content = t["secret"]
		p.excerpt = t["secret"]
		p.image = s.images[0]
		p.event.cost = "10"
	})
	s.special(24, t["draft"], func(p *post) {
		p.status = "draft"
		p.content = t["words"]
	})
	s.special(25, t["pending"], func(p *post) { p.status = "pending" })
	s.special(26, t["private"], func(p *post) { p.status = "private" })
	s.special(27, t["trashed"], func(p *post) {
		p.status = "trash"
		p.slug = slugify(t["trashed"]) + trashedSuffix
		p.slugBefore = slugify(t["trashed"])
	})
	s.special(28, t["selftitle"], func(p *post) {
		site := shared["selfurl"]
		p.content = shared["selfbody"]
		p.excerpt = shared["selfexcerpt"]
		p.event.website = &site
	})
	s.special(29, t["html"], func(p *post) { p.content = shared["htmlbody"] })
	s.special(30, t["emoji"], func(p *post) { p.content = t["emojitext"] })
	s.special(31, shared["rtltitle"], func(p *post) { p.content = shared["rtlbody"] })
	s.special(32, t["trio"], s.linked(2, 3), func(p *post) { p.event.cost = "12.50" })
	s.special(33, t["pair"], s.linked(3, 2), func(p *post) { p.event.venues = []int{s.venues[0], s.venues[1]} })
	s.addSpecialDates()
	s.special(38, t["atlocked"], func(p *post) { p.event.venues = []int{s.venues[locked]} })
	s.special(39, t["contributed"], func(p *post) {
		p.status = "draft"
		p.author = 4
	})
	s.special(40, t["words"], symbol("Donation", s.lang.Symbol))
}

// addSpecialDates adds the special events with dates in another zone, far away, or of no length.
func (s *seeder) addSpecialDates() {
	t := s.lang.Special
	festival := s.special(44, t["festival"], func(p *post) {
		e := p.event
		e.allDay = true
		e.start = localTime(midnight(e.start), zone("America/New_York"))
		e.end = localTime(endOfDay(e.end.AddDate(0, 0, 2)), zone("America/New_York"))
	})
	s.special(45, t["child"], func(p *post) { p.parent = festival })
	s.special(35, t["offset"], func(p *post) {
		p.event.start = localTime(p.event.start, zone("UTC+5:30"))
		p.event.end = localTime(p.event.end, zone("UTC+5:30"))
	})
	s.special(365*5, t["far"])
	s.special(36, t["instant"], func(p *post) { p.event.end = p.event.start })
	s.special(37, t["future"], func(p *post) {
		p.status = "future"
		p.date = s.timeAt(30, 9, 0)
	})
}

// special returns an evening event so many days from today, with a change.
func (s *seeder) special(days int, title string, change ...func(*post)) int {
	start := s.timeAt(days, 18, 0)
	p := &post{item: item{kind: eventKind}, title: title, event: &eventData{
		start: start, end: start.Add(150 * time.Minute), showMap: true, mapLink: true,
	}}
	for _, f := range change {
		f(p)
	}
	return s.add(p)
}

// linked adds a venue and some organizers to the event.
func (s *seeder) linked(venue, organizers int) func(*post) {
	return func(p *post) {
		p.event.venues = []int{s.venues[venue]}
		p.event.organizers = append([]int(nil), s.organizers[:organizers]...)
		p.event.categories = []int{s.categories[0], s.categories[1]}
		p.event.tags = []int{s.tags[0]}
	}
}
