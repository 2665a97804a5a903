package mapping

// The shapes below name every attribute that the recorded site sent. Those of
// other plugins and versions fall under Other.

var imageSizeShape = shape("image_size",
	Attribute{Name: "width", Type: Whole, Text: "answer.image.width"},
	Attribute{Name: "height", Type: Whole, Text: "answer.image.height"},
	Attribute{Name: "mime-type", Optional: true},
	Attribute{Name: "filesize", Type: Whole, Optional: true, Text: "answer.image.filesize"},
	Attribute{Name: "url", Class: PageLink},
)

// imageSizesShape is an object whose names are the sizes that the site's theme
// and plugins declare.
var imageSizesShape = &Shape{Name: "image_sizes", Rest: &Attribute{Class: Object, Shape: imageSizeShape}}

var imageShape = shape("image",
	Attribute{Name: "url", Class: PageLink},
	Attribute{Name: "id", Type: Whole},
	Attribute{Name: "extension"},
	Attribute{Name: "width", Type: Whole},
	Attribute{Name: "height", Type: Whole},
	Attribute{Name: "filesize", Type: Whole, Optional: true},
	Attribute{Name: "sizes", Class: Object, Shape: imageSizesShape, Type: Named},
)

var dateDetailsShape = shape("date_details",
	Attribute{Name: "year", Type: Digits},
	Attribute{Name: "month", Type: Digits},
	Attribute{Name: "day", Type: Digits},
	Attribute{Name: "hour", Type: Digits},
	Attribute{Name: "minutes", Type: Digits},
	Attribute{Name: "seconds", Type: Digits},
)

// What is known of a price beside its text.
const (
	detailsSuffix = "_details"
	symbolName    = "currency_symbol"
	positionName  = "currency_position"
	amountsName   = "values"
	beforeAmount  = "prefix" // a value of currency_position
)

var costDetailsShape = shape("cost"+detailsSuffix,
	Attribute{Name: symbolName, Class: Prose},
	Attribute{Name: "currency_code", Optional: true},
	Attribute{Name: positionName},
	Attribute{Name: amountsName, Class: Prose, Type: Strings},
)

var addressShape = shape("json_ld.address",
	Attribute{Name: "@type", Text: "answer.json_ld.type"},
	Attribute{Name: "streetAddress", Class: Prose, Optional: true, Text: "venues.field.address"},
	Attribute{Name: "addressLocality", Class: Prose, Optional: true, Text: "venues.field.city"},
	Attribute{Name: "addressRegion", Class: Prose, Optional: true, Text: "venues.field.stateprovince"},
	Attribute{Name: "postalCode", Class: Prose, Optional: true, Text: "venues.field.zip"},
	Attribute{Name: "addressCountry", Class: Prose, Optional: true, Text: "venues.field.country"},
)

// linkedDataShape is schema.org's view of a venue or an organizer. Its url is
// the website that people gave.
var linkedDataShape = shape("json_ld.linked",
	Attribute{Name: "@type", Text: "answer.json_ld.type"},
	Attribute{Name: "name", Repeats: []string{"venue", "organizer"}, Class: Prose, Text: "answer.json_ld.name"},
	Attribute{Name: "description", Repeats: []string{"description", "excerpt"}, Class: Prose, Optional: true, Text: "answer.json_ld.description"},
	Attribute{Name: "image", Repeats: []string{"image"}, Class: PageLink, Optional: true, Text: "answer.json_ld.image"},
	Attribute{Name: "url", Repeats: []string{"url", "website"}, Class: Website, Optional: true, Text: "answer.json_ld.url"},
	Attribute{Name: "address", Repeats: []string{"address", "city", "country", "province", "state", "stateprovince", "zip"}, Class: Object, Shape: addressShape, Type: Single, Optional: true},
	Attribute{Name: "telephone", Repeats: []string{"phone"}, Class: Prose, Optional: true},
	Attribute{Name: "email", Repeats: []string{"email"}, Class: Email, Optional: true},
	Attribute{Name: "sameAs", Repeats: []string{"website"}, Class: Prose, Optional: true},
)

var offersShape = shape("json_ld.offers",
	Attribute{Name: "@type", Text: "answer.json_ld.type"},
	Attribute{Name: "price", Class: Prose},
	Attribute{Name: "priceCurrency", Optional: true},
	Attribute{Name: "url", Class: PageLink, Text: "answer.json_ld.url"},
	Attribute{Name: "category", Optional: true},
	Attribute{Name: "availability", Optional: true},
	Attribute{Name: "validFrom", Optional: true},
)

var eventDataShape = shape("json_ld.event",
	Attribute{Name: "@context", Text: "answer.json_ld.context"},
	Attribute{Name: "@type", Text: "answer.json_ld.type"},
	Attribute{Name: "name", Repeats: []string{"title"}, Class: Prose, Text: "answer.json_ld.name"},
	Attribute{Name: "description", Repeats: []string{"description", "excerpt"}, Class: Prose, Text: "answer.json_ld.description"},
	Attribute{Name: "image", Repeats: []string{"image"}, Class: PageLink, Optional: true, Text: "answer.json_ld.image"},
	Attribute{Name: "url", Repeats: []string{"url"}, Class: PageLink, Text: "answer.json_ld.url"},
	Attribute{Name: "eventAttendanceMode", Optional: true},
	Attribute{Name: "eventStatus", Optional: true},
	Attribute{Name: "startDate", When: true, Repeats: []string{"start_date", "timezone"}},
	Attribute{Name: "endDate", When: true, Repeats: []string{"end_date", "timezone"}},
	Attribute{Name: "location", Repeats: []string{"venue"}, Class: Object, Shape: linkedDataShape, Type: SingleOrNone, Optional: true},
	Attribute{Name: "organizer", Repeats: []string{"organizer"}, Class: Object, Shape: linkedDataShape, Type: SingleOrNone, Optional: true},
	Attribute{Name: "offers", Repeats: []string{"cost", "url"}, Class: Object, Shape: offersShape, Type: Single, Optional: true},
	Attribute{Name: "performer", Class: Prose, Optional: true},
)

// LinkShape is a target of a relation.
var LinkShape = shape("link", Attribute{Name: "href"})
