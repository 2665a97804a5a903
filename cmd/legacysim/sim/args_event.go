package sim

// eventFilters are the arguments of the list of events.
var eventFilters = join(pageArgs, []arg{
	{name: "start_date", def: func(c *call) any { return c.defaultStart().Format(dateTime) }, check: isDate, filter: true},
	{name: "end_date", def: func(c *call) any { return c.defaultEnd().Format(dateTime) }, check: isDate, filter: true},
	{name: "starts_before", check: isDate, filter: true},
	{name: "starts_after", check: isDate, filter: true},
	{name: "ends_before", check: isDate, filter: true},
	{name: "ends_after", check: isDate, filter: true},
	{name: "strict_dates", def: "false", check: isGiven, filter: true},
	{name: "search", kind: "string", check: isText, filter: true},
	{name: "categories", items: true, check: areTerms(categoryTaxonomy), filter: true},
	{name: "tags", items: true, check: areTerms(tagTaxonomy), filter: true},
	{name: "venue", items: true, check: arePosts(venueKind), filter: true},
	{name: "organizer", items: true, check: arePosts(organizerKind), filter: true},
	{name: "featured", kind: "boolean", filter: true},
	{name: "status", format: "string", check: isListStatus, filter: true},
	{name: "geoloc", kind: "boolean", filter: true},
	{name: "geoloc_lat", format: "double", filter: true},
	{name: "geoloc_lng", format: "double", filter: true},
	{name: "include", items: true, check: arePositive, filter: true},
	{name: "post_parent", kind: "integer", check: isEvent, filter: true},
	{name: "ticketed", kind: "boolean", check: needsTickets, filter: true},
})

// eventFields are the fields of an event to create.
var eventFields = []arg{
	{name: "author", kind: "integer", check: isAuthor},
	{name: "date", kind: "string", check: isDate},
	{name: "date_utc", kind: "string", check: isDate},
	{name: "title", kind: "string", required: true, check: isText},
	{name: "description", kind: "string", check: isText},
	{name: "slug", kind: "string", check: isText},
	{name: "excerpt", kind: "string", check: isText},
	{name: "status", kind: "string", check: isPostStatus},
	{name: "timezone", kind: "string", check: isZone},
	{name: "all_day", kind: "boolean", def: false},
	{name: "start_date", kind: "string", required: true, check: isDate},
	{name: "end_date", kind: "string", required: true, check: isDate},
	{name: "image", kind: "string", check: isImage},
	{name: "cost"},
	{name: "website", def: null{}, check: isURL},
	{name: "show_map", kind: "boolean"},
	{name: "show_map_link", kind: "boolean"},
	{name: "hide_from_listings", kind: "boolean"},
	{name: "sticky", kind: "boolean"},
	{name: "featured", kind: "boolean"},
	{name: "categories", def: null{}, items: true},
	{name: "tags", def: null{}, items: true},
	{name: "venue", def: null{}, items: true, check: isVenueInput},
	{name: "organizer", def: null{}, items: true, check: isOrganizerInput},
}

var (
	eventID       = []arg{{name: "id", kind: "integer", required: true, check: isNumeric}, {name: "password", kind: "string", check: isText}}
	eventSlug     = []arg{{name: "slug", kind: "string", required: true, check: isSlugOf(eventKind)}}
	eventSlugPart = []arg{{name: "slug", kind: "string", check: isText, twice: true}}

	eventByID   = join(eventID, optional(eventFields))
	eventBySlug = join(eventSlugPart, optional(without(eventFields, "slug")))
)
