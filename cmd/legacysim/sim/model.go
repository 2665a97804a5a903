package sim

import (
	"slices"
	"sync/atomic"
	"time"
)

// kind is a WordPress post type.
type kind string

const (
	eventKind     kind = "tribe_events"
	venueKind     kind = "tribe_venue"
	organizerKind kind = "tribe_organizer"
	imageKind     kind = "attachment"
	blogPostKind  kind = "post"
)

// taxonomy is a WordPress taxonomy.
type taxonomy string

const (
	categoryTaxonomy taxonomy = "tribe_events_cat"
	tagTaxonomy      taxonomy = "post_tag"
)

// post is an item that WordPress stores as a post. A pointer that is nil means
// that the post is not of that kind.
type post struct {
	id     int
	kind   kind
	lang   *language // nil: it was there before the site had languages
	group  group
	series bool  // its occurrences are listed in its place
	of     *post // of an occurrence: its series
	author int
	status string // publish, future, draft, pending, private or trash
	// date and modified are in the site's zone, and their likes in UTC need not agree:
	// a zero one is that of a draft, and shows as 0000-00-00.
	date, dateUTC         time.Time
	modified, modifiedUTC time.Time
	title, content        string
	excerpt, slug         string
	slugBefore            string // that of a trashed post, which it gets back
	birthSlug             string // that it had when it was made
	seeded                bool   // it was there before the API was asked
	password              string
	parent                int
	image                 int
	gone                  bool // planted as missing: still inside others, but not there itself

	event *eventData
	place *placeData
	file  *imageData
}

// eventData is what an event has beyond a post.
type eventData struct {
	start, end time.Time // in the event's own zone
	// utcStart and utcEnd are what start and end were when they were last written: a
	// change of the zone alone does not touch them, nor does the correction of an end
	// before the start, which are slips of the plugin.
	utcStart, utcEnd time.Time
	zone             string // as it was written
	// length is what was written, where the dates need not agree with it.
	length     *time.Duration
	allDay     bool
	cost       string
	symbol     string // currency symbol; "" when the site's own is used
	website    *string
	showMap    bool
	mapLink    bool
	hidden     bool
	sticky     bool
	featured   bool
	categories []int
	tags       []int
	venues     []int
	organizers []int
}

// placeData is what a venue or an organizer has beyond a post: text fields by
// the name they have in JSON.
type placeData struct {
	fields           map[string]string
	showMap, mapLink bool
}

// imageData describes an uploaded file.
type imageData struct {
	path          string // below /wp-content/uploads/
	mime          string
	width, height int
	bytes         int
}

// term is a category or a tag.
type term struct {
	id          int
	taxonomy    taxonomy
	lang        *language
	group       group
	name        string // as WordPress stores it: & is &amp;
	slug        string
	description string
	parent      int
	gone        bool // planted as missing, as a post can be
}

// blog is all content of one WordPress. Where the languages are sites apart, posts and
// terms share nothing with the other languages, not even ids.
type blog struct {
	lang     *language // of added items
	posts    map[int]*post
	byID     []*post // the same, in order; none ever leaves
	terms    map[int]*term
	lastPost int
	lastTerm int
	planted  map[plantedAt][]Plant // what shows in answers only

	translations map[inGroup]int // ids

	changes bool // it is being seeded, or by a request
	lookups atomic.Pointer[lookups]
}

func newBlog(lang *language) *blog {
	return &blog{
		lang: lang, posts: map[int]*post{}, terms: map[int]*term{}, lastPost: lang.firstPost, lastTerm: lang.firstTerm,
		translations: map[inGroup]int{}, changes: true,
	}
}

// addPost adds the post with the next id.
func (b *blog) addPost(p *post) *post {
	b.lastPost++
	p.id, p.lang = b.lastPost, b.lang
	return b.put(p)
}

// put adds a post that has an id.
func (b *blog) put(p *post) *post {
	b.posts[p.id] = p
	at, _ := slices.BinarySearchFunc(b.byID, p.id, func(p *post, id int) int { return p.id - id })
	b.byID = slices.Insert(b.byID, at, p)
	return p
}

func (b *blog) addTerm(t *term) *term {
	b.lastTerm++
	t.id, t.lang = b.lastTerm, b.lang
	b.terms[t.id] = t
	return t
}

// find returns the post of that kind and id, or nil.
func (b *blog) find(k kind, id int) *post {
	if p := b.post(id); p != nil && p.kind == k {
		return p
	}
	return nil
}

// all returns the posts of a kind that pass, by id.
func (b *blog) all(k kind, pass func(*post) bool) []*post {
	var out []*post
	for _, p := range b.byID {
		if p.kind == k && !p.gone && !p.series && pass(p) {
			out = append(out, p)
		}
	}
	return out
}

// bySlug returns the post of that kind and slug, or nil. A slug of which nothing is
// left finds the first post that has none, which is some draft.
func (b *blog) bySlug(k kind, slug string) *post {
	return b.withSlug(k, slugify(slug))
}

func (b *blog) withSlug(k kind, slug string) *post {
	if l := b.known(); l != nil {
		return l.slugs[slugOfKind{k, slug}]
	}
	for _, p := range b.byID {
		if p.kind == k && !p.gone && p.slug == slug {
			return p
		}
	}
	return nil
}

// freeSlug appends -2, -3 and so on until no other post of the kind has the slug.
func (b *blog) freeSlug(k kind, want string, self int) string {
	taken := func(slug string) bool {
		return slices.ContainsFunc(b.byID, func(p *post) bool { return p.kind == k && !p.gone && p.slug == slug && p.id != self && p.of == nil })
	}
	slug := want
	for n := 2; taken(slug); n++ {
		slug = want + "-" + itoa(n)
	}
	return slug
}

// reckon computes the zone and the times in UTC from the times in the event's zone.
func (e *eventData) reckon() {
	e.zone = e.start.Location().String()
	e.utcStart, e.utcEnd = e.start.UTC(), e.end.UTC()
}
