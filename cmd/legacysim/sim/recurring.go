package sim

import "time"

// Occurrences of a recurring event have ids that no post has: this base and the number
// of the occurrence. So the plugin's source has it; how the REST API shows a series
// was not recorded. Here the series itself is in no list, an occurrence is read by its
// id, and a write to either changes the series with all its occurrences.
const firstOccurrence = 10_000_000

// occurrencesEach is how many there are of a series, a week apart.
const occurrencesEach = 4

// addRecurring adds n series, which have no terms: the counts of those change with any
// event.
func (s *seeder) addRecurring(n int) {
	for i := range n {
		t := s.texts.Series[i%len(s.texts.Series)]
		start := s.at(7+i, t.Hour, 30)
		series := &post{kind: eventKind, series: true, title: storedName(t.Title) + " R" + itoa(i+1), event: &eventData{
			start: start, end: start.Add(2 * time.Hour), cost: t.Cost, showMap: true, mapLink: true,
			venues: []int{s.venues[0]}, organizers: []int{s.organizers[0]},
		}}
		s.add(series)
		for k := range occurrencesEach {
			o := &post{id: firstOccurrence + s.lang.firstPost + i*occurrencesEach + k + 1, of: series, lang: series.lang}
			e := *series.event
			e.start, e.end = e.start.AddDate(0, 0, 7*k), e.end.AddDate(0, 0, 7*k)
			o.event = &e
			s.put(o)
		}
		s.spread(series)
	}
}

// spread copies a write to a series, or to one of its occurrences, to all occurrences,
// but for when they take place.
func (b *blog) spread(p *post) {
	series := p
	if p.of != nil {
		series = p.of
		series.follow(p)
	}
	for id, o := range b.posts {
		if id > firstOccurrence && o.of == series && o != p {
			o.follow(series)
		}
	}
}

// follow copies everything from another post except its place in the series.
func (p *post) follow(from *post) {
	before := *p
	*p = *from
	p.id, p.of, p.series, p.group = before.id, before.of, before.series, before.group
	e := *from.event
	e.start, e.end = before.event.start, before.event.end
	e.reckon()
	p.event = &e
}
