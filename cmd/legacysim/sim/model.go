package sim

import (
	"strings"
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

// resource is the collection of a kind; "" if the plugin has none.
func (k kind) resource() string {
	for resource, of := range kindOf {
		if of == k {
			return resource
		}
	}
	return ""
}

// title is the name of one item: Event.
func (k kind) title() string {
	name := strings.TrimSuffix(k.resource(), "s")
	return strings.ToUpper(name[:min(len(name), 1)]) + name[min(len(name), 1):]
}

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
	length      *time.Duration
	allDay      bool
	cost        string
	symbol      string // currency symbol; "" when the site's own is used
	symbolAfter bool   // whether it stands behind the amounts
	website     *string
	showMap     bool
	mapLink     bool
	hidden      bool
	sticky      bool
	featured    bool
	categories  []int
	tags        []int
	venues      []int
	organizers  []int
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

// reckon computes the zone and the times in UTC from the times in the event's zone.
func (e *eventData) reckon() {
	e.zone = e.start.Location().String()
	e.utcStart, e.utcEnd = e.start.UTC(), e.end.UTC()
}

// group names the translations of one thing. That of number 0 is none.
type group struct {
	of     string // post type or taxonomy
	number int
}

// inGroup is the place of a language in a group.
type inGroup struct {
	group
	language string
}
