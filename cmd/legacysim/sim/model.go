package sim

import "time"

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

// post is anything that WordPress keeps as a post. A pointer that is nil says
// that the post is not of that kind.
type post struct {
	id       int
	kind     kind
	author   int
	status   string // publish, future, draft, pending, private or trash
	date     time.Time
	modified time.Time
	// undated drafts have 0000-00-00 as date_utc until they are published;
	// neverModified ones, which came with the request, have it twice.
	undated, neverModified bool
	title, content         string
	excerpt, slug          string
	password               string
	parent                 int
	image                  int
	gone                   bool // planted as missing: still inside others, but not there itself

	event *eventData
	place *placeData
	file  *imageData
}

// eventData is what an event has beyond a post.
type eventData struct {
	start, end time.Time // in the event's own zone
	// endAsked is set where the end came before the start and was moved: the
	// time in UTC is not, a slip of the plugin.
	endAsked   time.Time
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
	name        string // as WordPress stores it: & is &amp;
	slug        string
	description string
	parent      int
	gone        bool // planted as missing, as a post can be
}

// blog is all content of one language: posts and terms share nothing with the
// other languages, not even ids.
type blog struct {
	lang     *language
	posts    map[int]*post
	byID     []*post // the same, in order; none ever leaves
	terms    map[int]*term
	lastPost int
	lastTerm int
	planted  map[plantedAt][]Plant // what shows in answers only
}

func newBlog(lang *language) *blog {
	return &blog{lang: lang, posts: map[int]*post{}, terms: map[int]*term{}, lastPost: lang.firstPost, lastTerm: lang.firstTerm}
}

// addPost gives the post the next id.
func (b *blog) addPost(p *post) *post {
	b.lastPost++
	p.id = b.lastPost
	b.posts[p.id] = p
	b.byID = append(b.byID, p)
	return p
}

func (b *blog) addTerm(t *term) *term {
	b.lastTerm++
	t.id = b.lastTerm
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
		if p.kind == k && !p.gone && pass(p) {
			out = append(out, p)
		}
	}
	return out
}

// bySlug returns the post of that kind and slug, or nil. A draft has no slug
// yet and is not found.
func (b *blog) bySlug(k kind, slug string) *post {
	if slug = slugify(slug); slug == "" {
		return nil
	}
	return b.withSlug(k, slug)
}

func (b *blog) withSlug(k kind, slug string) *post {
	for _, p := range b.byID {
		if p.kind == k && !p.gone && p.slug == slug {
			return p
		}
	}
	return nil
}

// freeSlug appends -2, -3 and so on until no post of the kind has the slug.
func (b *blog) freeSlug(k kind, want string, self int) string {
	slug := want
	for n := 2; ; n++ {
		p := b.withSlug(k, slug)
		if p == nil || p.id == self {
			return slug
		}
		slug = want + "-" + itoa(n)
	}
}
