package mapping

// Names in lists: the counts of items and pages, and the link to the next page.
const (
	TotalName      = "total"
	TotalPagesName = "total_pages"
	NextName       = "next_rest_url" // absent on the last page
)

// PageURLName is the attribute of an item with the URL of its page.
const PageURLName = "url"

// ModifiedUTCName is the time of the last change of an item.
const ModifiedUTCName = "modified_utc"

// UTCPrefix begins the attribute with a date of an event in UTC.
const UTCPrefix = "utc_"

// listOf is the shape of a page of items.
func listOf(resource string, item *Shape) *Shape {
	s := shape(resource+".list",
		Attribute{Name: resource, Class: Object, Shape: item, Resource: resource, Type: Several, Text: resource + ".list"},
		Attribute{Name: "rest_url", Class: ThisPage, Mark: true, Text: "answer.list.rest_url"},
		Attribute{Name: NextName, Class: NextPage, Optional: true, Text: "answer.list.next_rest_url"},
		Attribute{Name: "previous_rest_url", Class: PreviousPage, Optional: true, Text: "answer.list.previous_rest_url"},
		Attribute{Name: TotalName, Type: Whole, Mark: true, Text: "answer.list.total"},
		Attribute{Name: TotalPagesName, Type: Whole, Mark: true, Text: "answer.list.total_pages"},
	)
	s.Text = "schema.list"
	return s
}

var termLinksShape = shape("term_urls",
	Attribute{Name: "self", Class: RestLink},
	Attribute{Name: "collection", Class: RestLink},
	Attribute{Name: "up", Class: RestLink, Optional: true},
)

// The order is the order in the terms of an event, which are read most.
var termShape = shape("term",
	Attribute{Name: "name", Class: Prose, HTML: true, Mark: true},
	Attribute{Name: "slug", Class: Prose},
	Attribute{Name: "term_group", Type: Whole, Optional: true},
	Attribute{Name: "term_taxonomy_id", Type: Whole, Optional: true, Own: true},
	Attribute{Name: "taxonomy", Class: Taxonomy},
	Attribute{Name: "description", Class: Prose, HTML: true},
	Attribute{Name: "parent", Class: Parent, Type: Whole, Optional: true},
	Attribute{Name: "count", Type: Whole},
	Attribute{Name: "filter", Optional: true},
	Attribute{Name: "id", Type: Whole},
	Attribute{Name: "urls", Class: Object, Shape: termLinksShape, Type: Single, Mark: true},
	Attribute{Name: "meta", Class: Prose, Type: Free, Optional: true},
	Attribute{Name: PageURLName, Class: PageLink, Optional: true},
	Attribute{Name: "_links", Class: Relations, Type: NamedLists, Shape: linkShape, Optional: true},
)

// linkedShape is the shape of an item that events link, with the attributes that both kinds begin with.
func linkedShape(name string, attributes ...Attribute) *Shape {
	return shape(name, append([]Attribute{
		{Name: "id", Type: Whole, Text: "answer.item.id"},
		{Name: "author", Type: Digits, Text: "answer.item.author"},
		{Name: "status", Text: "answer.item.status"},
		{Name: "date", Type: DayTime, Text: "answer.item.date"},
		{Name: "date_utc", Type: DayTime, Text: "answer.item.date_utc"},
		{Name: "modified", Type: DayTime, Own: true, Text: "answer.item.modified"},
		{Name: ModifiedUTCName, Type: DayTime, Own: true, Text: "answer.item.modified_utc"},
		{Name: PageURLName, Class: PageLink, Mark: true, Text: "answer.item.url"},
		{Name: name, Class: Prose, Type: Hidden, HTML: true, Text: "answer.item.title"},
		{Name: "description", Class: Prose, Optional: true, HTML: true, Text: "answer.item.description"},
		{Name: "excerpt", Class: Prose, Optional: true, HTML: true, Text: "answer.item.excerpt"},
		{Name: "slug", Class: Prose, Optional: true, Text: "answer.item.slug"},
		{Name: "image", Class: Object, Shape: imageShape, Type: SingleOrNone, Optional: true, Text: "answer.item.image"},
	}, attributes...)...)
}

var venueShape = linkedShape("venue",
	Attribute{Name: "address", Class: Prose, Optional: true, Text: "venues.field.address"},
	Attribute{Name: "city", Class: Prose, Optional: true, Text: "venues.field.city"},
	Attribute{Name: "country", Class: Prose, Optional: true, Text: "venues.field.country"},
	Attribute{Name: "province", Class: Prose, Optional: true, Text: "venues.field.province"},
	Attribute{Name: "state", Class: Prose, Optional: true, Text: "venues.field.state"},
	Attribute{Name: "stateprovince", Class: Prose, Optional: true, Text: "venues.field.stateprovince"},
	Attribute{Name: "zip", Class: Prose, Optional: true, Text: "venues.field.zip"},
	Attribute{Name: "phone", Class: Prose, Optional: true, Text: "venues.field.phone"},
	Attribute{Name: "website", Class: Website, Optional: true, Text: "venues.field.website"},
	Attribute{Name: "json_ld", Class: Object, Shape: linkedDataShape, Type: Single, Optional: true, Text: "answer.item.json_ld"},
	Attribute{Name: "show_map", Type: Bool, Null: true, Text: "venues.field.show_map"},
	Attribute{Name: "show_map_link", Type: Bool, Null: true, Text: "venues.field.show_map_link"},
	Attribute{Name: "global_id", Mark: true, Text: "answer.item.global_id"},
	Attribute{Name: "global_id_lineage", Type: Strings, Text: "answer.item.global_id_lineage"},
)

var organizerShape = linkedShape("organizer",
	Attribute{Name: "phone", Class: Prose, Optional: true, Text: "organizers.field.phone"},
	Attribute{Name: "website", Class: Website, Optional: true, Text: "organizers.field.website"},
	Attribute{Name: "email", Class: Email, Optional: true, Text: "organizers.field.email"},
	Attribute{Name: "json_ld", Class: Object, Shape: linkedDataShape, Type: Single, Optional: true, Text: "answer.item.json_ld"},
	Attribute{Name: "global_id", Mark: true, Text: "answer.item.global_id"},
	Attribute{Name: "global_id_lineage", Type: Strings, Text: "answer.item.global_id_lineage"},
)

var eventShape = shape("event",
	Attribute{Name: "id", Type: Whole, Text: "answer.item.id"},
	Attribute{Name: "global_id", Text: "answer.item.global_id"},
	Attribute{Name: "global_id_lineage", Type: Strings, Text: "answer.item.global_id_lineage"},
	Attribute{Name: "author", Type: Digits, Text: "answer.item.author"},
	Attribute{Name: "status", Text: "answer.item.status"},
	Attribute{Name: "date", Type: DayTime, Text: "answer.item.date"},
	Attribute{Name: "date_utc", Type: DayTime, Text: "answer.item.date_utc"},
	Attribute{Name: "modified", Type: DayTime, Own: true, Text: "answer.item.modified"},
	Attribute{Name: ModifiedUTCName, Type: DayTime, Own: true, Text: "answer.item.modified_utc"},
	Attribute{Name: PageURLName, Class: PageLink, Mark: true, Text: "answer.item.url"},
	Attribute{Name: "rest_url", Class: RestLink, Mark: true},
	Attribute{Name: "title", Class: Prose, HTML: true, Mark: true, Text: "answer.item.title"},
	Attribute{Name: "description", Class: Prose, HTML: true, Text: "answer.item.description"},
	Attribute{Name: "excerpt", Class: Prose, HTML: true, Text: "answer.item.excerpt"},
	Attribute{Name: "slug", Class: Prose, Text: "answer.item.slug"},
	Attribute{Name: "image", Class: Object, Shape: imageShape, Type: SingleOrNone, Text: "answer.item.image"},
	Attribute{Name: "all_day", Type: Bool, Null: true, When: true},
	Attribute{Name: "start_date", Type: DayTime, When: true, Text: "events.field.start_date"},
	Attribute{Name: "start_date_details", Class: Object, Shape: dateDetailsShape, Type: Single, When: true, Repeats: []string{"start_date"},
		Text: "answer.event.date_details"},
	Attribute{Name: "end_date", Type: DayTime, When: true, Text: "events.field.end_date"},
	Attribute{Name: "end_date_details", Class: Object, Shape: dateDetailsShape, Type: Single, When: true, Repeats: []string{"end_date"},
		Text: "answer.event.date_details"},
	Attribute{Name: UTCPrefix + "start_date", Type: DayTime, When: true, Repeats: []string{"start_date", "timezone"}},
	Attribute{Name: "utc_start_date_details", Class: Object, Shape: dateDetailsShape, Type: Single, When: true,
		Repeats: []string{"start_date", "timezone"}, Text: "answer.event.date_details"},
	Attribute{Name: UTCPrefix + "end_date", Type: DayTime, When: true, Repeats: []string{"end_date", "timezone"}},
	Attribute{Name: "utc_end_date_details", Class: Object, Shape: dateDetailsShape, Type: Single, When: true,
		Repeats: []string{"end_date", "timezone"}, Text: "answer.event.date_details"},
	Attribute{Name: "timezone", When: true, Text: "events.field.timezone"},
	Attribute{Name: "timezone_abbr", When: true, Repeats: []string{"timezone"}},
	Attribute{Name: "cost", Class: Prose, HTML: true},
	Attribute{Name: "cost_details", Class: Object, Shape: costDetailsShape, Type: Single, Repeats: []string{"cost"}},
	Attribute{Name: "website", Class: Website},
	Attribute{Name: "show_map", Type: Bool, Null: true, Text: "events.field.show_map"},
	Attribute{Name: "show_map_link", Type: Bool, Null: true, Text: "events.field.show_map_link"},
	Attribute{Name: "hide_from_listings", Type: Bool, Null: true, Text: "events.field.hide_from_listings"},
	Attribute{Name: "sticky", Type: Bool, Null: true, Text: "events.field.sticky"},
	Attribute{Name: "featured", Type: Bool, Null: true, Text: "events.field.featured"},
	Attribute{Name: "categories", Class: Object, Shape: termShape, Resource: "categories", Type: Several},
	Attribute{Name: "tags", Class: Object, Shape: termShape, Resource: "tags", Type: Several},
	Attribute{Name: "venue", Class: Object, Shape: venueShape, Resource: "venues", Type: OneOrSeveral},
	Attribute{Name: "organizer", Class: Object, Shape: organizerShape, Resource: "organizers", Type: Several},
	Attribute{Name: "custom_fields", Class: Prose, Type: Free},
	Attribute{Name: "json_ld", Class: Object, Shape: eventDataShape, Type: Single, Optional: true, Text: "answer.item.json_ld"},
)

// The shapes below name every attribute that the recorded site sent. Attributes of
// other plugins and versions fall under Other.

var imageSizeShape = shape("image_size",
	Attribute{Name: "width", Type: Whole, Text: "answer.image.width"},
	Attribute{Name: "height", Type: Whole, Text: "answer.image.height"},
	Attribute{Name: "mime-type", Optional: true},
	Attribute{Name: "filesize", Type: Whole, Optional: true, Text: "answer.image.filesize"},
	Attribute{Name: "url", Class: PageLink},
)

// imageSizesShape is an object with the sizes that the site's theme and plugins declare as names.
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

// The parts of a price beside the text.
const (
	DetailsSuffix    = "_details"
	CostSymbolName   = "currency_symbol"
	CostPositionName = "currency_position"
	CostAmountsName  = "values"
	beforeAmount     = "prefix" // a value of currency_position
)

var costDetailsShape = shape("cost"+DetailsSuffix,
	Attribute{Name: CostSymbolName, Class: Prose, HTML: true},
	Attribute{Name: "currency_code", Optional: true},
	Attribute{Name: CostPositionName},
	Attribute{Name: CostAmountsName, Class: Prose, Type: Strings},
)

var addressShape = shape("json_ld.address",
	Attribute{Name: "@type", Text: "answer.json_ld.type"},
	Attribute{Name: "streetAddress", Class: Prose, Optional: true, Text: "venues.field.address"},
	Attribute{Name: "addressLocality", Class: Prose, Optional: true, Text: "venues.field.city"},
	Attribute{Name: "addressRegion", Class: Prose, Optional: true, Text: "venues.field.stateprovince"},
	Attribute{Name: "postalCode", Class: Prose, Optional: true, Text: "venues.field.zip"},
	Attribute{Name: "addressCountry", Class: Prose, Optional: true, Text: "venues.field.country"},
)

// linkedDataShape is schema.org's view of a venue or an organizer. The member url is the website that people
// entered.
var linkedDataShape = shape("json_ld.linked",
	Attribute{Name: "@type", Text: "answer.json_ld.type"},
	Attribute{Name: "name", Repeats: []string{"venue", "organizer"}, Class: Prose, Text: "answer.json_ld.name"},
	Attribute{Name: "description", Repeats: []string{"description", "excerpt"}, Class: Prose, Optional: true,
		Text: "answer.json_ld.description"},
	Attribute{Name: "image", Repeats: []string{"image"}, Class: PageLink, Optional: true, Text: "answer.json_ld.image"},
	Attribute{Name: "url", Repeats: []string{"url", "website"}, Class: Website, Optional: true, Text: "answer.json_ld.url"},
	Attribute{Name: "address", Repeats: []string{"address", "city", "country", "province", "state", "stateprovince", "zip"}, Class: Object,
		Shape: addressShape, Type: Single, Optional: true},
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

// linkShape is a target of a relation.
var linkShape = shape("link", Attribute{Name: "href"})
