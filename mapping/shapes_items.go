package mapping

// What lists call the counts of their items and pages.
const (
	TotalName      = "total"
	TotalPagesName = "total_pages"
	NextName       = "next_rest_url" // absent on the last page
)

// PageURLName is the attribute of an item with the URL of its page.
const PageURLName = "url"

// modifiedUTC is when an item was changed last.
const modifiedUTC = "modified_utc"

// utcPrefix begins the attribute with a date of an event in UTC.
const utcPrefix = "utc_"

// listOf is the shape of a page of items.
func listOf(resource string, item *Shape) *Shape {
	s := shape(resource+".list",
		Attribute{Name: resource, Class: Object, Shape: item, Resource: resource, Type: Several, Text: resource + ".list"},
		Attribute{Name: "rest_url", Class: ThisPage, Text: "answer.list.rest_url"},
		Attribute{Name: NextName, Class: NextPage, Optional: true, Text: "answer.list.next_rest_url"},
		Attribute{Name: "previous_rest_url", Class: PreviousPage, Optional: true, Text: "answer.list.previous_rest_url"},
		Attribute{Name: TotalName, Type: Whole, Text: "answer.list.total"},
		Attribute{Name: TotalPagesName, Type: Whole, Text: "answer.list.total_pages"},
	)
	s.Text = "schema.list"
	return s
}

var termLinksShape = shape("term_urls",
	Attribute{Name: "self", Class: RestLink},
	Attribute{Name: "collection", Class: RestLink},
	Attribute{Name: "up", Class: RestLink, Optional: true},
)

// The order is that of the terms of an event: they are read most.
var termShape = shape("term",
	Attribute{Name: "name", Class: Prose},
	Attribute{Name: "slug", Class: Prose},
	Attribute{Name: "term_group", Type: Whole, Optional: true},
	Attribute{Name: "term_taxonomy_id", Type: Whole, Optional: true, Own: true},
	Attribute{Name: "taxonomy", Class: Taxonomy},
	Attribute{Name: "description", Class: Prose},
	Attribute{Name: "parent", Class: Parent, Type: Whole, Optional: true},
	Attribute{Name: "count", Type: Whole},
	Attribute{Name: "filter", Optional: true},
	Attribute{Name: "id", Type: Whole},
	Attribute{Name: "urls", Class: Object, Shape: termLinksShape, Type: Single},
	Attribute{Name: "meta", Class: Prose, Type: Free, Optional: true},
	Attribute{Name: PageURLName, Class: PageLink, Optional: true},
	Attribute{Name: "_links", Class: Relations, Type: NamedLists, Shape: LinkShape, Optional: true},
)

var venueShape = shape("venue",
	Attribute{Name: "id", Type: Whole, Text: "answer.item.id"},
	Attribute{Name: "author", Type: Digits, Text: "answer.item.author"},
	Attribute{Name: "status", Text: "answer.item.status"},
	Attribute{Name: "date", Type: DayTime, Text: "answer.item.date"},
	Attribute{Name: "date_utc", Type: DayTime, Text: "answer.item.date_utc"},
	Attribute{Name: "modified", Type: DayTime, Own: true, Text: "answer.item.modified"},
	Attribute{Name: modifiedUTC, Type: DayTime, Own: true, Text: "answer.item.modified_utc"},
	Attribute{Name: PageURLName, Class: PageLink, Text: "answer.item.url"},
	Attribute{Name: "venue", Class: Prose, Type: Hidden, Text: "venues.field.venue"},
	Attribute{Name: "description", Class: Prose, Optional: true, Text: "answer.item.description"},
	Attribute{Name: "excerpt", Class: Prose, Optional: true, Text: "answer.item.excerpt"},
	Attribute{Name: "slug", Class: Prose, Optional: true, Text: "answer.item.slug"},
	Attribute{Name: "image", Class: Object, Shape: imageShape, Type: SingleOrNone, Optional: true, Text: "answer.item.image"},
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
	Attribute{Name: "global_id", Text: "answer.item.global_id"},
	Attribute{Name: "global_id_lineage", Type: Strings, Text: "answer.item.global_id_lineage"},
)

var organizerShape = shape("organizer",
	Attribute{Name: "id", Type: Whole, Text: "answer.item.id"},
	Attribute{Name: "author", Type: Digits, Text: "answer.item.author"},
	Attribute{Name: "status", Text: "answer.item.status"},
	Attribute{Name: "date", Type: DayTime, Text: "answer.item.date"},
	Attribute{Name: "date_utc", Type: DayTime, Text: "answer.item.date_utc"},
	Attribute{Name: "modified", Type: DayTime, Own: true, Text: "answer.item.modified"},
	Attribute{Name: modifiedUTC, Type: DayTime, Own: true, Text: "answer.item.modified_utc"},
	Attribute{Name: PageURLName, Class: PageLink, Text: "answer.item.url"},
	Attribute{Name: "organizer", Class: Prose, Type: Hidden, Text: "organizers.field.organizer"},
	Attribute{Name: "description", Class: Prose, Optional: true, Text: "answer.item.description"},
	Attribute{Name: "excerpt", Class: Prose, Optional: true, Text: "answer.item.excerpt"},
	Attribute{Name: "slug", Class: Prose, Optional: true, Text: "answer.item.slug"},
	Attribute{Name: "image", Class: Object, Shape: imageShape, Type: SingleOrNone, Optional: true, Text: "answer.item.image"},
	Attribute{Name: "phone", Class: Prose, Optional: true, Text: "organizers.field.phone"},
	Attribute{Name: "website", Class: Website, Optional: true, Text: "organizers.field.website"},
	Attribute{Name: "email", Class: Email, Optional: true, Text: "organizers.field.email"},
	Attribute{Name: "json_ld", Class: Object, Shape: linkedDataShape, Type: Single, Optional: true, Text: "answer.item.json_ld"},
	Attribute{Name: "global_id", Text: "answer.item.global_id"},
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
	Attribute{Name: modifiedUTC, Type: DayTime, Own: true, Text: "answer.item.modified_utc"},
	Attribute{Name: PageURLName, Class: PageLink, Text: "answer.item.url"},
	Attribute{Name: "rest_url", Class: RestLink},
	Attribute{Name: "title", Class: Prose, Text: "events.field.title"},
	Attribute{Name: "description", Class: Prose, Text: "answer.item.description"},
	Attribute{Name: "excerpt", Class: Prose, Text: "answer.item.excerpt"},
	Attribute{Name: "slug", Class: Prose, Text: "answer.item.slug"},
	Attribute{Name: "image", Class: Object, Shape: imageShape, Type: SingleOrNone, Text: "answer.item.image"},
	Attribute{Name: "all_day", Type: Bool, Null: true, When: true},
	Attribute{Name: "start_date", Type: DayTime, When: true, Text: "events.field.start_date"},
	Attribute{Name: "start_date_details", Class: Object, Shape: dateDetailsShape, Type: Single, When: true, Repeats: []string{"start_date"}, Text: "answer.event.date_details"},
	Attribute{Name: "end_date", Type: DayTime, When: true, Text: "events.field.end_date"},
	Attribute{Name: "end_date_details", Class: Object, Shape: dateDetailsShape, Type: Single, When: true, Repeats: []string{"end_date"}, Text: "answer.event.date_details"},
	Attribute{Name: utcPrefix + "start_date", Type: DayTime, When: true, Repeats: []string{"start_date", "timezone"}},
	Attribute{Name: "utc_start_date_details", Class: Object, Shape: dateDetailsShape, Type: Single, When: true, Repeats: []string{"start_date", "timezone"}, Text: "answer.event.date_details"},
	Attribute{Name: utcPrefix + "end_date", Type: DayTime, When: true, Repeats: []string{"end_date", "timezone"}},
	Attribute{Name: "utc_end_date_details", Class: Object, Shape: dateDetailsShape, Type: Single, When: true, Repeats: []string{"end_date", "timezone"}, Text: "answer.event.date_details"},
	Attribute{Name: "timezone", When: true, Text: "events.field.timezone"},
	Attribute{Name: "timezone_abbr", When: true, Repeats: []string{"timezone"}},
	Attribute{Name: "cost", Class: Prose},
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
