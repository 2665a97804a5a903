package sim

import (
	"strings"
	"time"
)

func (s *seeder) addImages() {
	code := s.lang.code
	for _, f := range languages()[0].Images {
		f.Path = strings.Replace(f.Path, "{language}", code, 1)
		s.images = append(s.images, s.add(&post{item: item{kind: imageKind}, title: f.Path, file: &f}))
	}
	s.add(&post{item: item{kind: blogPostKind}, title: "Blog " + code})
}

func (s *seeder) addTerms() {
	byName := map[string]int{}
	for i, t := range s.lang.Categories {
		c := s.newTerm(categoryTaxonomy, storedName(t.Name), "", 0)
		c.parent = byName[t.Parent]
		byName[t.Name] = c.id
		if i%3 == 0 {
			c.description = c.name + " <em>" + s.lang.code + "</em>"
		}
		s.categories = append(s.categories, c.id)
	}
	for _, name := range s.lang.Tags {
		s.tags = append(s.tags, s.newTerm(tagTaxonomy, storedName(name), "", 0).id)
	}
}

// addVenues begins with a venue with an image, and ends with a venue behind a password and a draft.
func (s *seeder) addVenues() {
	for i, v := range s.lang.Venues {
		p := &post{item: item{kind: venueKind}, title: v.Name, content: pickFrom(s.lang.Paragraphs, i), place: &placeData{
			showMap: i%4 != 3, mapLink: i%5 != 4,
			fields: map[string]string{
				"address": v.Address, "city": v.City, "zip": v.Zip, "country": s.lang.Special["country"],
				"phone": "+00 555 01" + itoa(10+i), "website": "https://venue-" + itoa(i) + ".example/?a=1&b=2",
			},
		}}
		if i%4 == 0 {
			p.image = s.images[2]
			p.excerpt = pickFrom(s.lang.Paragraphs, i+1)
			delete(p.place.fields, "phone")
		}
		if i%3 == 1 {
			p.place.fields["province"] = s.lang.Special["province"]
		}
		switch i {
		case len(s.lang.Venues) - 2:
			p.password = "harbour"
		case len(s.lang.Venues) - 1:
			p.status = "draft"
		}
		s.venues = append(s.venues, s.add(p))
	}
}

// addOrganizers ends with a draft.
func (s *seeder) addOrganizers() {
	for i, name := range s.lang.Organizers {
		fields := map[string]string{"website": "https://organizer-" + itoa(i) + ".example/"}
		if i%3 != 0 {
			fields["phone"] = "+00 555 02" + itoa(10+i)
			fields["email"] = "organizer" + itoa(i) + "@mail.example"
		}
		p := &post{item: item{kind: organizerKind}, title: name, place: &placeData{fields: fields}}
		if i%2 == 1 {
			p.content = pickFrom(s.lang.Paragraphs, i)
		}
		if i%4 == 0 {
			p.image = s.images[2]
		}
		if i == len(s.lang.Organizers)-1 {
			p.status = "draft"
		}
		s.organizers = append(s.organizers, s.add(p))
	}
}

// addSeries spreads the repeating events from half a year back to a year and a
// half ahead. The steps are primes, so that nothing falls into a pattern.
func (s *seeder) addSeries(extra int) {
	n := len(s.lang.Series)*s.lang.Rounds + extra
	for i := range n {
		round := i/len(s.lang.Series) + 1
		t := s.lang.Series[i%len(s.lang.Series)]
		day := -180 + i*730/n + i%5
		start := s.timeAt(day, t.Hour, 15*(i%4))
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
			e.allDay = true
			e.start = midnight(start)
			e.end = endOfDay(start.AddDate(0, 0, i%3))
		}
		title := t.Title + " #" + itoa(round)
		// The slug is free: a search for a free slug among ten thousand, ten thousand times, is slow.
		its := item{kind: eventKind, slug: slugify(title)}
		p := &post{item: its, author: 1 + i%3, title: title, content: pickFrom(s.lang.Paragraphs, i), event: e}
		if i%6 == 0 {
			p.content += "\n\n" + pickFrom(s.lang.Paragraphs, i+1)
			p.image = s.images[i%len(s.images)]
		}
		s.add(p)
	}
}

// Passwords of the seed, and of nothing else.
const (
	eventPassword = "lighthouse"
	venuePassword = "harbour"
)

// seeder fills a blog. Dates count in days from today; everything else is the
// same on every start.
type seeder struct {
	*blog
	today time.Time // midnight in the site's zone
	// ids that the events refer to
	images, venues, organizers []int
	categories, tags           []int
}

// published is the date of a post in the seed: long ago, with 400 different dates.
func (s *seeder) published(n int) time.Time {
	return s.today.AddDate(0, 0, -120).Add(time.Duration(n%400) * 7 * time.Hour)
}

func (s *seeder) add(p *post) int {
	if p.author == 0 {
		p.author = 1
	}
	if p.status == "" {
		p.status = "publish"
	}
	if p.date.IsZero() {
		p.date = s.published(len(s.posts))
	}
	p.dateUTC = p.date
	p.modified = p.date
	p.modifiedUTC = p.date
	if p.slug == "" && p.status != "draft" && p.status != "pending" {
		p.slug = s.freeSlug(p.kind, slugify(p.title), 0)
	}
	if p.event != nil {
		p.event.reckon()
	}
	return s.addPost(p).id
}

// timeAt is a time some days from today, in the zone of the site.
func (s *seeder) timeAt(days, hour, minute int) time.Time {
	d := s.today.AddDate(0, 0, days)
	return time.Date(d.Year(), d.Month(), d.Day(), hour, minute, 0, 0, d.Location())
}

func pickFrom(items []string, i int) string { return items[i%len(items)] }
