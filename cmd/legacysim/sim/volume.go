package sim

import "time"

// How many events of the volume there are for each thing that they refer to.
const (
	eventsPerVenue     = 25
	eventsPerOrganizer = 40
	eventsPerCategory  = 100
	eventsPerTag       = 50
)

// volume is what the events of the volume refer to.
type volume struct {
	venues, organizers, categories, tags []int
}

// share returns the number of n events in this language: they are dealt in turn, the
// first to the default language. Ids of languages begin to overlap at 70,000.
func (l *language) share(n int) int {
	for i := range languages {
		if languages[i].code == l.code {
			return (n + len(languages) - 1 - i) / len(languages)
		}
	}
	panic("BUG: no such language: " + l.code)
}

// addVolume adds n made-up events behind all others, with venues, organizers and
// terms of their own: what is there without them stays as it is, but for the counts
// of lists.
func (s *seeder) addVolume(n int) {
	if n == 0 {
		return
	}
	v := s.addVolumeTerms(n)
	for i := range n/eventsPerVenue + 1 {
		v.venues = append(v.venues, s.addVolumeVenue(i))
	}
	for i := range n/eventsPerOrganizer + 1 {
		v.organizers = append(v.organizers, s.addVolumeOrganizer(i))
	}
	for i := range n {
		s.addVolumeEvent(i, n, v)
	}
}

func (s *seeder) addVolumeTerms(n int) volume {
	var v volume
	for i := range n/eventsPerCategory + 1 {
		t := s.newTerm(categoryTaxonomy, s.numbered(s.texts.Categories[i%len(s.texts.Categories)].Name, i), "", 0)
		if i%3 == 2 {
			t.parent = v.categories[i-1]
		}
		v.categories = append(v.categories, t.id)
	}
	for i := range n/eventsPerTag + 1 {
		v.tags = append(v.tags, s.newTerm(tagTaxonomy, s.numbered(pickFrom(s.texts.Tags, i), i), "", 0).id)
	}
	return v
}

// numbered is a stored name that nothing else in the seed has.
func (s *seeder) numbered(name string, i int) string {
	return storedName(name) + " N" + itoa(i+1)
}

// written is when something of the volume was written: on 400 days that are past.
func (s *seeder) written(i int) time.Time {
	return s.today.AddDate(0, 0, -(i%400)-1).Add(time.Duration(i%1440) * time.Minute)
}

// addVolumePost sets a slug that is free: to look for one among ten
// thousand, ten thousand times, is slow.
func (s *seeder) addVolumePost(p *post, i int) int {
	p.slug, p.author, p.date = slugify(p.title), 1+i%3, s.written(i)
	return s.add(p)
}

func (s *seeder) addVolumeVenue(i int) int {
	from := s.texts.Venues[i%len(s.texts.Venues)]
	return s.addVolumePost(&post{kind: venueKind, title: s.numbered(from.Name, i), content: pickFrom(s.texts.Paragraphs, i), place: &placeData{
		showMap: i%4 != 3, mapLink: i%5 != 4,
		fields: map[string]string{"address": from.Address + " " + itoa(i+1), "city": from.City, "zip": from.Zip, "country": s.texts.Special.Country},
	}}, i)
}

func (s *seeder) addVolumeOrganizer(i int) int {
	return s.addVolumePost(&post{kind: organizerKind, title: s.numbered(pickFrom(s.texts.Organizers, i), i), place: &placeData{
		fields: map[string]string{"website": "https://organizer-n" + itoa(i+1) + ".example/", "phone": "+00 555 03" + itoa(1000+i)},
	}}, i)
}

// addVolumeEvent spreads the events from half a year back to a year and a half ahead.
func (s *seeder) addVolumeEvent(i, n int, v volume) {
	t := s.texts.Series[i%len(s.texts.Series)]
	start := s.at(-180+i*730/n, t.Hour, 15*(i%4))
	e := &eventData{
		start: start, end: start.Add(time.Duration(60+15*(i%9)) * time.Minute),
		cost: t.Cost, showMap: i%7 != 0, mapLink: i%11 != 0, featured: i%17 == 0,
		venues:     []int{v.venues[(i*7)%len(v.venues)]},
		organizers: []int{v.organizers[(i*3)%len(v.organizers)]},
		categories: []int{v.categories[(i*5)%len(v.categories)]},
		tags:       []int{v.tags[(i*11)%len(v.tags)]},
	}
	if other := v.organizers[(i*3+1)%len(v.organizers)]; i%6 == 0 && other != e.organizers[0] {
		e.organizers = append(e.organizers, other)
	}
	s.addVolumePost(&post{kind: eventKind, title: s.numbered(t.Title, i), content: pickFrom(s.texts.Paragraphs, i), event: e}, i)
}
