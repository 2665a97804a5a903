package sim

import (
	"cmp"
	"embed"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"
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

// seedTexts are the texts of a language: a file of the directory seed.
type seedTexts struct {
	Categories []struct{ Name, Parent string } // the parent comes before it
	Tags       []string
	Venues     []struct{ Name, Address, City, Zip string }
	Organizers []string
	Series     []struct { // events that repeat
		Title    string
		Category int // its place in the list
		Cost     string
		Hour     int
	}
	Rounds     int // how often each of the series takes place
	Paragraphs []string
	Special    specialTexts
	Messages   map[string]string // of errors, by their English text
}

// specialTexts are the words of the special cases in one language.
type specialTexts struct {
	Country, Province string

	Sticky, Hidden, Featured, Locked, Secret      string
	Draft, Pending, Private, Trashed, SelfTitle   string
	HTML, Emoji, EmojiText, Trio, Pair            string
	Festival, Child, Offset, Far, Instant, Future string
	AtLocked, Contributed, Words                  string
}

//go:embed seed/*.yaml
var seedFiles embed.FS

// seeds are the texts by language.
var seeds = sync.OnceValue(func() map[string]seedTexts {
	all := map[string]seedTexts{}
	for _, lang := range languages {
		data, err := seedFiles.ReadFile("seed/" + lang.code + ".yaml")
		var texts seedTexts
		if err == nil {
			err = yaml.Unmarshal(data, &texts)
		}
		if err != nil {
			panic("BUG: " + err.Error())
		}
		all[lang.code] = texts
	}
	return all
})

// published is when something in the seed was written: long ago, and 400 each at a
// time of its own.
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
