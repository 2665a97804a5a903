package sim

import (
	"time"
)

// seed returns the content of a language: more is how many events there are beyond the usual ones,
// recurring how many series whose occurrences have ids of their own.
func seed(lang *language, now time.Time, more, recurring int) *blog {
	s := &seeder{blog: newBlog(lang), today: midnight(now.In(lang.zone)), texts: seeds()[lang.code]}
	s.addImages()
	s.addTerms()
	s.addVenues()
	s.addOrganizers()
	s.addSpecials()
	s.addSeries(more)
	s.addRecurring(recurring)
	return s.blog
}

func (s *seeder) addImages() {
	code := s.lang.code
	for _, f := range []imageData{
		{path: "2026/01/harbour-" + code + ".png", mime: "image/png", width: 640, height: 480, bytes: 61234},
		{path: "2026/01/kai-größe-" + code + ".jpg", mime: "image/jpeg", width: 1600, height: 900, bytes: 248812},
		{path: "2026/02/crane-" + code + ".jpg", mime: "image/jpeg", width: 300, height: 300, bytes: 20480},
	} {
		s.images = append(s.images, s.add(&post{kind: imageKind, title: f.path, file: &f}))
	}
	s.add(&post{kind: blogPostKind, title: "Blog " + code})
}

func (s *seeder) addTerms() {
	byName := map[string]int{}
	for i, t := range s.texts.Categories {
		c := s.newTerm(categoryTaxonomy, storedName(t.Name), "", 0)
		c.parent = byName[t.Parent]
		byName[t.Name] = c.id
		if i%3 == 0 {
			c.description = c.name + " <em>" + s.lang.code + "</em>"
		}
		s.categories = append(s.categories, c.id)
	}
	for _, name := range s.texts.Tags {
		s.tags = append(s.tags, s.newTerm(tagTaxonomy, storedName(name), "", 0).id)
	}
}

// addVenues begins with one with an image, and ends with one behind a password
// and a draft.
func (s *seeder) addVenues() {
	for i, v := range s.texts.Venues {
		p := &post{kind: venueKind, title: v.Name, content: pickFrom(s.texts.Paragraphs, i), place: &placeData{
			showMap: i%4 != 3, mapLink: i%5 != 4,
			fields: map[string]string{
				"address": v.Address, "city": v.City, "zip": v.Zip, "country": s.texts.Special.Country,
				"phone": "+00 555 01" + itoa(10+i), "website": "https://venue-" + itoa(i) + ".example/?a=1&b=2",
			},
		}}
		if i%4 == 0 {
			p.image = s.images[2]
			p.excerpt = pickFrom(s.texts.Paragraphs, i+1)
			delete(p.place.fields, "phone")
		}
		if i%3 == 1 {
			p.place.fields["province"] = s.texts.Special.Province
		}
		switch i {
		case len(s.texts.Venues) - 2:
			p.password = "harbour"
		case len(s.texts.Venues) - 1:
			p.status = "draft"
		}
		s.venues = append(s.venues, s.add(p))
	}
}

// addOrganizers ends with a draft.
func (s *seeder) addOrganizers() {
	for i, name := range s.texts.Organizers {
		fields := map[string]string{"website": "https://organizer-" + itoa(i) + ".example/"}
		if i%3 != 0 {
			fields["phone"] = "+00 555 02" + itoa(10+i)
			fields["email"] = "organizer" + itoa(i) + "@mail.example"
		}
		p := &post{kind: organizerKind, title: name, place: &placeData{fields: fields}}
		if i%2 == 1 {
			p.content = pickFrom(s.texts.Paragraphs, i)
		}
		if i%4 == 0 {
			p.image = s.images[2]
		}
		if i == len(s.texts.Organizers)-1 {
			p.status = "draft"
		}
		s.organizers = append(s.organizers, s.add(p))
	}
}

// addSeries spreads the repeating events from half a year back to a year and a
// half ahead. The steps are primes, so that nothing falls into a pattern.
func (s *seeder) addSeries(more int) {
	n := len(s.texts.Series)*s.texts.Rounds + more
	for i := range n {
		round, t := i/len(s.texts.Series)+1, s.texts.Series[i%len(s.texts.Series)]
		day := -180 + i*730/n + i%5
		start := s.at(day, t.Hour, 15*(i%4))
		e := &eventData{
			start: start, end: start.Add(time.Duration(90+30*(i%6)) * time.Minute),
			cost: t.Cost, showMap: i%7 != 0, mapLink: i%11 != 0, featured: i%13 == 0,
			categories: []int{s.categories[t.Category]},
			tags:       []int{s.tags[(i*7)%len(s.tags)]},
		}
		if i%3 == 0 {
			e.tags = append(e.tags, s.tags[(i*7+3)%len(s.tags)])
			e.categories = append(e.categories, s.categories[(t.Category+5)%len(s.categories)])
		}
		if i%4 != 3 {
			e.venues = []int{s.venues[(i*5)%(len(s.venues)-2)]}
		}
		if i%5 != 4 {
			e.organizers = []int{s.organizers[(i*3)%(len(s.organizers)-1)]}
		}
		if i%9 == 0 {
			e.allDay, e.start, e.end = true, midnight(start), endOfDay(start.AddDate(0, 0, i%3))
		}
		title := t.Title + " #" + itoa(round)
		// Its slug is free: to look for one among ten thousand, ten thousand times, is slow.
		p := &post{kind: eventKind, author: 1 + i%3, title: title, slug: slugify(title), content: pickFrom(s.texts.Paragraphs, i), event: e}
		if i%6 == 0 {
			p.content += "\n\n" + pickFrom(s.texts.Paragraphs, i+1)
			p.image = s.images[i%len(s.images)]
		}
		s.add(p)
	}
}
