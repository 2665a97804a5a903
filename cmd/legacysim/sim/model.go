package sim

import "time"

// kind is a WordPress post type or taxonomy.
type kind string

const (
	eventKind     kind = "tribe_events"
	venueKind     kind = "tribe_venue"
	organizerKind kind = "tribe_organizer"
	imageKind     kind = "attachment"
	blogPostKind  kind = "post"

	categoryTaxonomy kind = "tribe_events_cat"
	tagTaxonomy      kind = "post_tag"
)

// ofTerms reports whether the kind is a taxonomy.
func (k kind) ofTerms() bool { return k == categoryTaxonomy || k == tagTaxonomy }

// item has the fields that posts and terms share.
type item struct {
	id        int
	kind      kind
	lang      *language
	group     string // of the translations of one item; "" without translations
	slug      string
	isMissing bool // planted as missing: still inside other items, but not found
}

// post is an item that WordPress stores as a post. A pointer that is nil means
// that the post is not of that kind.
type post struct {
	item
	author int
	status string // publish, future, draft, pending, private or trash
	// date and modified are in the site's zone, and the dates in UTC need not agree: a draft has a zero date
	// in UTC, which shows as 0000-00-00.
	date, dateUTC         time.Time
	modified, modifiedUTC time.Time
	title, content        string
	excerpt               string
	slugBefore            string // the slug that a trashed post gets back
	password              string
	parent                int
	image                 int

	event *eventData
	place *placeData
	file  *imageData
}

// eventData holds the fields that an event has beyond a post.
type eventData struct {
	start, end time.Time // in the event's own zone
	// utcStart and utcEnd are the values of start and end at the last write: a change of the zone alone does
	// not touch them, nor does the correction of an end before the start, which are slips of the plugin.
	utcStart, utcEnd time.Time
	zone             string // as written
	allDay           bool
	cost             string
	symbol           string // currency symbol; "" when the site's own is used
	symbolAfter      bool   // whether the symbol stands behind the amounts
	website          *string
	showMap          bool
	mapLink          bool
	hidden           bool
	sticky           bool
	featured         bool
	categories       []int
	tags             []int
	venues           []int
	organizers       []int
}

// placeData holds the fields that a venue or an organizer has beyond a post: text by
// the name they have in JSON.
type placeData struct {
	fields           map[string]string
	showMap, mapLink bool
}

// term is a category or a tag.
type term struct {
	item
	name        string // as WordPress stores it: & is &amp;
	description string
	parent      int
}

// reckon computes the zone and the times in UTC from the times in the event's zone.
func (e *eventData) reckon() {
	e.zone = e.start.Location().String()
	e.utcStart = e.start.UTC()
	e.utcEnd = e.end.UTC()
}

const eventResource = "events"

// kindOf is the post type or the taxonomy of a resource.
var kindOf = map[string]kind{
	eventResource: eventKind, "venues": venueKind, "organizers": organizerKind, "categories": categoryTaxonomy, "tags": tagTaxonomy,
}

const trashedSuffix = "__trashed"
