package sim

// placeFilters are the arguments of the lists of venues and of organizers.
// (The description of status speaks of organizers in both.)
var placeFilters = join(pageArgs, []arg{
	{name: "search", kind: "string", check: isText, filter: true},
	{name: "event", kind: "integer", check: isEvent, filter: true},
	{name: "has_events", filter: true},
	{name: "only_with_upcoming", def: false, filter: true},
	{name: "status", format: "string", check: isListStatus, filter: true},
})

// venueFields are the fields of a venue to create. The two about maps are strings: a
// JSON true is refused. Dates may be any text.
var venueFields = []arg{
	{name: "author", kind: "integer", check: isAuthor},
	{name: "date", kind: "string"},
	{name: "date_utc", kind: "string"},
	{name: "venue", kind: "string", required: true, check: isText},
	{name: "description", kind: "string", def: null{}, check: isTextOrEmpty},
	{name: "status", kind: "string", check: isPostStatus},
	{name: "show_map", kind: "string", def: null{}},
	{name: "show_map_link", kind: "string", def: null{}},
	{name: "address", kind: "string", def: null{}, check: isTextOrEmpty},
	{name: "city", kind: "string", def: null{}, check: isTextOrEmpty},
	{name: "country", kind: "string", def: null{}, check: isTextOrEmpty},
	{name: "province", kind: "string", def: null{}, check: isTextOrEmpty},
	{name: "state", kind: "string", def: null{}, check: isTextOrEmpty},
	{name: "zip", kind: "string", def: null{}, check: isTextOrEmpty},
	{name: "phone", kind: "string", def: null{}, check: isTextOrEmpty},
	{name: "stateprovince", kind: "string", def: null{}, check: isTextOrEmpty},
	{name: "website", kind: "string", def: null{}, check: isURL},
	{name: "image", kind: "string", def: null{}, check: isImageOrEmpty},
}

// organizerFields are the fields of an organizer to create. An email may be any text.
var organizerFields = []arg{
	{name: "author", kind: "integer", def: null{}, check: isAuthor},
	{name: "date", kind: "string", def: null{}},
	{name: "date_utc", kind: "string", def: null{}},
	{name: "organizer", kind: "string", def: null{}, required: true, check: isText},
	{name: "description", kind: "string", def: null{}, check: isTextOrEmpty},
	{name: "status", kind: "string", def: null{}, check: isPostStatus},
	{name: "phone", kind: "string", def: null{}, check: isTextOrEmpty},
	{name: "website", kind: "string", def: null{}, check: isURL},
	{name: "email", kind: "string", def: null{}, check: isTextOrEmpty},
	{name: "image", kind: "string", def: null{}, check: isImageOrEmpty},
}

var (
	venueID       = []arg{{name: "id", kind: "integer", required: true, check: arePosts(venueKind)}}
	venueSlug     = []arg{{name: "slug", kind: "string", required: true, check: isSlugOf(venueKind)}}
	organizerID   = []arg{{name: "id", kind: "integer", required: true, check: arePosts(organizerKind), twice: true}}
	organizerSlug = []arg{{name: "slug", kind: "string", required: true, check: isSlugOf(organizerKind), twice: true}}
)
