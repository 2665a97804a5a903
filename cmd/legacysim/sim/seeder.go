package sim

import (
	"cmp"
	"time"
)

// seeder fills a blog. Dates count in days from today; everything else is the
// same on every start.
type seeder struct {
	*blog
	today time.Time // midnight in the site's zone
	texts seedTexts
	// ids of what the events refer to
	images, venues, organizers []int
	categories, tags           []int
}

// seedTexts is what the seed of a language is written from.
type seedTexts struct {
	categories []seedCategory
	tags       []string
	venues     []seedVenue
	organizers []string
	series     []seedSeries
	rounds     int // how often each of the series takes place
	paragraphs []string
	special    specialTexts
}

// seedCategory names its parent, which comes before it.
type seedCategory struct{ name, parent string }

type seedVenue struct{ name, address, city, zip string }

// seedSeries is an event that repeats; category and tags go by their place in
// the lists.
type seedSeries struct {
	title    string
	category int
	cost     string
	hour     int
}

// specialTexts are the words of the special cases in one language.
type specialTexts struct {
	country, province string

	sticky, hidden, featured, locked, secret      string
	draft, pending, private, trashed, selfTitle   string
	html, emoji, emojiText, trio, pair            string
	festival, child, offset, far, instant, future string
	atLocked, contributed, words                  string
}

// published is when something in the seed was written: long ago, and each at a
// time of its own.
func (s *seeder) published(n int) time.Time {
	return s.today.AddDate(0, 0, -120).Add(time.Duration(n) * 7 * time.Hour)
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
	p.dateUTC, p.modified, p.modifiedUTC = p.date, p.date, p.date
	if p.slug == "" && p.status != "draft" && p.status != "pending" {
		p.slug = s.freeSlug(p.kind, slugify(p.title), 0)
	}
	p.seeded, p.birthSlug = true, cmp.Or(p.slugBefore, p.slug)
	if p.event != nil {
		p.event.reckon()
	}
	return s.addPost(p).id
}

// at is a time some days from today, in the zone of the site.
func (s *seeder) at(days, hour, minute int) time.Time {
	d := s.today.AddDate(0, 0, days)
	return time.Date(d.Year(), d.Month(), d.Day(), hour, minute, 0, 0, d.Location())
}

func pickFrom(items []string, i int) string { return items[i%len(items)] }
