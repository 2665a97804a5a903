package mapping

// Class says what an attribute of an answer is, and with it what rewriting does
// to it.
type Class uint8

// The classes. What a shape does not name is Other.
const (
	Plain        Class = iota // numbers, booleans, dates, codes: copied
	Prose                     // people's own words: never touched, whatever they contain
	Object                    // an object, a list of objects, or neither, of the attribute's Shape
	RestLink                  // a URL of the REST interface
	PageLink                  // a URL of the site: page, image, term page
	Website                   // people's own URL, or where they gave none the item's page
	Taxonomy                  // a machine name that carries the vendor's
	Relations                 // _links: relations with their targets
	ThisPage                  // a list's link to itself
	NextPage                  // a list's link to the page after
	PreviousPage              // a list's link to the page before
	Parent                    // the id of a term's parent
	Other                     // unknown to the table: copied, but for whole values that are REST links
)

// isURL reports whether nothing but a URL is changed in a string of the class.
func (c Class) isURL() bool { return c == PageLink || c == Website || c == Other }

// Attribute is one named value of an answer.
type Attribute struct {
	Name     string
	Class    Class
	Shape    *Shape // of an Object
	Resource string // of an Object that is an item with an id; "" for what is none
}

// Shape is an object of an answer as the legacy gives it.
type Shape struct {
	Name       string
	Attributes []Attribute
	Rest       *Attribute // what an attribute not named above is; nil for Other
}

func shape(name string, attributes ...Attribute) *Shape {
	return &Shape{Name: name, Attributes: attributes}
}

var unknown = Attribute{Class: Other}

// attribute gives what name is. next is the place where to look first, and then
// that of the name after: the legacy sends attributes in the order of the shape.
func (s *Shape) attribute(name []byte, next int) (*Attribute, int) {
	if s == nil {
		return &unknown, 0
	}
	for range s.Attributes {
		if next == len(s.Attributes) {
			next = 0
		}
		if a := &s.Attributes[next]; a.Name == string(name) {
			return a, next + 1
		}
		next++
	}
	if s.Rest != nil {
		return s.Rest, next
	}
	return &unknown, next
}

// listOf is the shape of a page of items.
func listOf(resource string, item *Shape) *Shape {
	return shape(resource+".list",
		Attribute{Name: resource, Class: Object, Shape: item, Resource: resource},
		Attribute{Name: "rest_url", Class: ThisPage},
		Attribute{Name: "next_rest_url", Class: NextPage},
		Attribute{Name: "previous_rest_url", Class: PreviousPage},
		Attribute{Name: "total"},
		Attribute{Name: "total_pages"},
	)
}

// The shapes below name every attribute that the recorded site sent. Those of
// other plugins and versions fall under Other.

var imageSizeShape = shape("image_size",
	Attribute{Name: "width"},
	Attribute{Name: "height"},
	Attribute{Name: "mime-type"},
	Attribute{Name: "filesize"},
	Attribute{Name: "url", Class: PageLink},
)

// imageSizesShape is an object whose names are the sizes that the site's theme
// and plugins declare.
var imageSizesShape = &Shape{Name: "image_sizes", Rest: &Attribute{Class: Object, Shape: imageSizeShape}}

var imageShape = shape("image",
	Attribute{Name: "url", Class: PageLink},
	Attribute{Name: "id"},
	Attribute{Name: "extension"},
	Attribute{Name: "width"},
	Attribute{Name: "height"},
	Attribute{Name: "filesize"},
	Attribute{Name: "sizes", Class: Object, Shape: imageSizesShape},
)

var dateDetailsShape = shape("date_details",
	Attribute{Name: "year"},
	Attribute{Name: "month"},
	Attribute{Name: "day"},
	Attribute{Name: "hour"},
	Attribute{Name: "minutes"},
	Attribute{Name: "seconds"},
)

var costDetailsShape = shape("cost_details",
	Attribute{Name: "currency_symbol", Class: Prose},
	Attribute{Name: "currency_code"},
	Attribute{Name: "currency_position"},
	Attribute{Name: "values", Class: Prose},
)

var addressShape = shape("json_ld.address",
	Attribute{Name: "@type"},
	Attribute{Name: "streetAddress", Class: Prose},
	Attribute{Name: "addressLocality", Class: Prose},
	Attribute{Name: "addressRegion", Class: Prose},
	Attribute{Name: "postalCode", Class: Prose},
	Attribute{Name: "addressCountry", Class: Prose},
)

// linkedDataShape is schema.org's view of a venue or an organizer. Its url is
// the website that people gave.
var linkedDataShape = shape("json_ld.linked",
	Attribute{Name: "@type"},
	Attribute{Name: "name", Class: Prose},
	Attribute{Name: "description", Class: Prose},
	Attribute{Name: "image", Class: PageLink},
	Attribute{Name: "url", Class: Website},
	Attribute{Name: "address", Class: Object, Shape: addressShape},
	Attribute{Name: "telephone", Class: Prose},
	Attribute{Name: "email", Class: Prose},
	Attribute{Name: "sameAs", Class: Prose},
)

var offersShape = shape("json_ld.offers",
	Attribute{Name: "@type"},
	Attribute{Name: "price", Class: Prose},
	Attribute{Name: "priceCurrency"},
	Attribute{Name: "url", Class: PageLink},
	Attribute{Name: "category"},
	Attribute{Name: "availability"},
	Attribute{Name: "validFrom"},
)

var eventDataShape = shape("json_ld.event",
	Attribute{Name: "@context"},
	Attribute{Name: "@type"},
	Attribute{Name: "name", Class: Prose},
	Attribute{Name: "description", Class: Prose},
	Attribute{Name: "image", Class: PageLink},
	Attribute{Name: "url", Class: PageLink},
	Attribute{Name: "eventAttendanceMode"},
	Attribute{Name: "eventStatus"},
	Attribute{Name: "startDate"},
	Attribute{Name: "endDate"},
	Attribute{Name: "location", Class: Object, Shape: linkedDataShape},
	Attribute{Name: "organizer", Class: Object, Shape: linkedDataShape},
	Attribute{Name: "offers", Class: Object, Shape: offersShape},
	Attribute{Name: "performer", Class: Prose},
)

var termLinksShape = shape("term_urls",
	Attribute{Name: "self", Class: RestLink},
	Attribute{Name: "collection", Class: RestLink},
	Attribute{Name: "up", Class: RestLink},
)

var termShape = shape("term",
	Attribute{Name: "id"},
	Attribute{Name: "count"},
	Attribute{Name: "description", Class: Prose},
	Attribute{Name: "name", Class: Prose},
	Attribute{Name: "slug", Class: Prose},
	Attribute{Name: "taxonomy", Class: Taxonomy},
	Attribute{Name: "parent", Class: Parent},
	Attribute{Name: "term_group"},
	Attribute{Name: "term_taxonomy_id"},
	Attribute{Name: "filter"},
	Attribute{Name: "meta", Class: Prose},
	Attribute{Name: "url", Class: PageLink},
	Attribute{Name: "urls", Class: Object, Shape: termLinksShape},
	Attribute{Name: "_links", Class: Relations},
)

var venueShape = shape("venue",
	Attribute{Name: "id"},
	Attribute{Name: "author"},
	Attribute{Name: "status"},
	Attribute{Name: "date"},
	Attribute{Name: "date_utc"},
	Attribute{Name: "modified"},
	Attribute{Name: "modified_utc"},
	Attribute{Name: "url", Class: PageLink},
	Attribute{Name: "venue", Class: Prose},
	Attribute{Name: "description", Class: Prose},
	Attribute{Name: "excerpt", Class: Prose},
	Attribute{Name: "slug", Class: Prose},
	Attribute{Name: "image", Class: Object, Shape: imageShape},
	Attribute{Name: "address", Class: Prose},
	Attribute{Name: "city", Class: Prose},
	Attribute{Name: "country", Class: Prose},
	Attribute{Name: "province", Class: Prose},
	Attribute{Name: "state", Class: Prose},
	Attribute{Name: "stateprovince", Class: Prose},
	Attribute{Name: "zip", Class: Prose},
	Attribute{Name: "phone", Class: Prose},
	Attribute{Name: "website", Class: Website},
	Attribute{Name: "json_ld", Class: Object, Shape: linkedDataShape},
	Attribute{Name: "show_map"},
	Attribute{Name: "show_map_link"},
	Attribute{Name: "global_id"},
	Attribute{Name: "global_id_lineage"},
)

var organizerShape = shape("organizer",
	Attribute{Name: "id"},
	Attribute{Name: "author"},
	Attribute{Name: "status"},
	Attribute{Name: "date"},
	Attribute{Name: "date_utc"},
	Attribute{Name: "modified"},
	Attribute{Name: "modified_utc"},
	Attribute{Name: "url", Class: PageLink},
	Attribute{Name: "organizer", Class: Prose},
	Attribute{Name: "description", Class: Prose},
	Attribute{Name: "excerpt", Class: Prose},
	Attribute{Name: "slug", Class: Prose},
	Attribute{Name: "image", Class: Object, Shape: imageShape},
	Attribute{Name: "phone", Class: Prose},
	Attribute{Name: "website", Class: Website},
	Attribute{Name: "email", Class: Prose},
	Attribute{Name: "json_ld", Class: Object, Shape: linkedDataShape},
	Attribute{Name: "global_id"},
	Attribute{Name: "global_id_lineage"},
)

var eventShape = shape("event",
	Attribute{Name: "id"},
	Attribute{Name: "global_id"},
	Attribute{Name: "global_id_lineage"},
	Attribute{Name: "author"},
	Attribute{Name: "status"},
	Attribute{Name: "date"},
	Attribute{Name: "date_utc"},
	Attribute{Name: "modified"},
	Attribute{Name: "modified_utc"},
	Attribute{Name: "url", Class: PageLink},
	Attribute{Name: "rest_url", Class: RestLink},
	Attribute{Name: "title", Class: Prose},
	Attribute{Name: "description", Class: Prose},
	Attribute{Name: "excerpt", Class: Prose},
	Attribute{Name: "slug", Class: Prose},
	Attribute{Name: "image", Class: Object, Shape: imageShape},
	Attribute{Name: "all_day"},
	Attribute{Name: "start_date"},
	Attribute{Name: "start_date_details", Class: Object, Shape: dateDetailsShape},
	Attribute{Name: "end_date"},
	Attribute{Name: "end_date_details", Class: Object, Shape: dateDetailsShape},
	Attribute{Name: "utc_start_date"},
	Attribute{Name: "utc_start_date_details", Class: Object, Shape: dateDetailsShape},
	Attribute{Name: "utc_end_date"},
	Attribute{Name: "utc_end_date_details", Class: Object, Shape: dateDetailsShape},
	Attribute{Name: "timezone"},
	Attribute{Name: "timezone_abbr"},
	Attribute{Name: "cost", Class: Prose},
	Attribute{Name: "cost_details", Class: Object, Shape: costDetailsShape},
	Attribute{Name: "website", Class: Website},
	Attribute{Name: "show_map"},
	Attribute{Name: "show_map_link"},
	Attribute{Name: "hide_from_listings"},
	Attribute{Name: "sticky"},
	Attribute{Name: "featured"},
	Attribute{Name: "categories", Class: Object, Shape: termShape, Resource: "categories"},
	Attribute{Name: "tags", Class: Object, Shape: termShape, Resource: "tags"},
	Attribute{Name: "venue", Class: Object, Shape: venueShape, Resource: "venues"},
	Attribute{Name: "organizer", Class: Object, Shape: organizerShape, Resource: "organizers"},
	Attribute{Name: "custom_fields", Class: Prose},
	Attribute{Name: "json_ld", Class: Object, Shape: eventDataShape},
)
