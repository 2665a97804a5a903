package mapping

import (
	"slices"
	"time"
)

// Language is the parameter that every endpoint has beside the parameters of the row. The configuration has the
// legacy's name of the parameter.
var Language = Param{Name: "i18n_language", Enum: []string{"en", "fr", "de", "es"}, Text: "common.language"}

// Parameters that several rows share. The legacy cuts per_page at its Cap without
// an error; here all requests with the same response have one key, and links have
// the number that was used.
var (
	PageParam     = Param{Name: "page", Kind: Integer, Default: "1", Min: 1, Text: "common.page"}
	PerPageParam  = Param{Name: "per_page", Kind: Integer, Default: "10", Min: 1, Cap: 50, Widest: "50", Sent: true}
	inIndex       = Param{Name: "namespace", Kind: Text, Default: Namespace}
	IDParam       = Param{Name: "id", Kind: ID, In: InPath, Required: true}
	SlugParam     = Param{Name: "slug", Kind: Slug, In: InPath, Required: true}
	DateUTCParam  = Param{Name: "date_utc", Kind: DateTime, In: InBody, Zone: UTCZone, Preserve: true, Moves: []string{"date", "status"}}
	TimezoneParam = Param{Name: "timezone", Kind: Text, In: InBody, Preserve: true}
	AllDayParam   = Param{Name: "all_day", Kind: Boolean, In: InBody, Default: "false", Preserve: true,
		Moves: []string{"start_date", "end_date"}}
	password = Param{Name: "password", Kind: Text, Filled: true, Secret: true, Text: "events.query.password"}
)

// statuses are WordPress's statuses that have a meaning to clients. Plugins register more.
var statuses = []string{"publish", "draft", "pending", "private", "future", "trash"}

// eventFilters are the parameters of the event list.
//
// Beside include the legacy replaces the values of start_date and end_date with the default window, but drops
// that window if one of the other four dates is sent without start_date and end_date. ends_before excludes no
// event, not even events before 1970.
var eventFilters = []*Param{
	&PageParam,
	&PerPageParam,
	{Name: "start_date", Kind: DateTime, Generated: LastMidnight, LiftedBy: "include", ExactBy: "strict_dates"},
	{Name: "end_date", Kind: DateTime, Generated: TwoYearsOn, LiftedBy: "include", ExactBy: "strict_dates"},
	{Name: "starts_before", Kind: DateTime, LiftedBy: "include", ExactBy: "strict_dates"},
	{Name: "starts_after", Kind: DateTime, LiftedBy: "include", ExactBy: "strict_dates"},
	{Name: "ends_before", Kind: DateTime, LiftedBy: "include", Lifted: "2999-12-31", ExactBy: "strict_dates"},
	{Name: "ends_after", Kind: DateTime, LiftedBy: "include", ExactBy: "strict_dates"},
	{Name: "strict_dates", Kind: BooleanLike, Default: "false", Filled: true, LiftedBy: "include"},
	{Name: "search", Kind: Text},
	{Name: "categories", Kind: TermSet, Names: "categories"},
	{Name: "tags", Kind: TermSet, Names: "tags", FirstAlone: true},
	{Name: "venue", Kind: IDSet, Names: "venues"},
	{Name: "organizer", Kind: IDSet, Names: "organizers"},
	{Name: "featured", Kind: Boolean},
	{Name: "status", Kind: Text, Filled: true, Known: statuses},
	{Name: "geoloc", Kind: Boolean},
	{Name: "geoloc_lat", Kind: Number, Min: -90, Max: 90, With: "geoloc_lng"},
	{Name: "geoloc_lng", Kind: Number, Min: -180, Max: 180, With: "geoloc_lat"},
	{Name: "include", Kind: IDSet, Names: "events"},
	{Name: "post_parent", Kind: Integer, Names: "events"},
	{Name: "ticketed", Kind: Boolean},
}

// linkedFilters are the parameters of the venue and the organizer list.
var linkedFilters = []*Param{
	&PageParam,
	&PerPageParam,
	{Name: "search", Kind: Text},
	{Name: "event", Kind: Integer, Min: 1, Of: "events"},
	{Name: "has_events", Kind: Untyped, Of: "events"},
	{Name: "only_with_upcoming", Kind: Untyped, Default: "false", Of: "events", Clock: true},
	{Name: "status", Kind: Text, Filled: true, Known: statuses},
}

// termFilters are the parameters of the list of a taxonomy, with the parent that tags do not have.
func termFilters(taxonomy string) []*Param {
	return []*Param{
		&PageParam,
		&PerPageParam,
		{Name: "search", Kind: Text},
		{Name: "exclude", Kind: IDSet, Names: taxonomy},
		{Name: "include", Kind: IDSet, Names: taxonomy},
		{Name: "order", Kind: Text, Filled: true},
		{Name: "orderby", Kind: Text, Filled: true, Widest: "id"},
		{Name: "hide_empty", Kind: Boolean, Default: "true", Widest: "false"},
		{Name: "parent", Kind: Integer, Min: 1, Names: taxonomy},
		{Name: "post", Kind: Integer, Min: 1, Names: "events"},
		{Name: "event", Kind: Integer, Min: 1, AliasOf: "post", Names: "events"},
		{Name: "slug", Kind: Text, Filled: true},
	}
}

var tagFilters = slices.DeleteFunc(termFilters("tags"), func(p *Param) bool { return p.Name == "parent" })

var eventFields = []*Param{
	{Name: "author", Kind: Integer, In: InBody},
	{Name: "date", Kind: DateTime, In: InBody, Zone: SiteZone, Preserve: true, Moves: []string{"date_utc", "status"}},
	&DateUTCParam,
	{Name: "title", Kind: Text, In: InBody, Required: true, Filled: true, Moves: []string{"slug"}},
	{Name: "description", Kind: Text, In: InBody, MaxLen: Unlimited, Filled: true},
	{Name: "slug", Kind: Slug, In: InBody, MaxLen: MaxSlug, Filled: true},
	{Name: "excerpt", Kind: Text, In: InBody, MaxLen: Unlimited, Filled: true},
	{Name: "status", Kind: Text, In: InBody, Filled: true, Known: statuses, Preserve: true, Moves: []string{"date", "date_utc", "slug"}},
	&TimezoneParam,
	&AllDayParam,
	{Name: "start_date", Kind: DateTime, In: InBody, Required: true, Beside: []string{"end_date", "timezone", "all_day"}},
	{Name: "end_date", Kind: DateTime, In: InBody, Required: true, Beside: []string{"start_date", "timezone", "all_day"},
		After: "start_date"},
	{Name: "image", Kind: Image, In: InBody, Filled: true, Page: true, Preserve: true},
	{Name: "cost", Kind: Price, In: InBody, Preserve: true},
	{Name: "website", Kind: Untyped, In: InBody, Null: true, Preserve: true},
	{Name: "show_map", Kind: Boolean, In: InBody, Preserve: true},
	{Name: "show_map_link", Kind: Boolean, In: InBody, Preserve: true},
	{Name: "hide_from_listings", Kind: Boolean, In: InBody, Preserve: true},
	{Name: "sticky", Kind: Boolean, In: InBody, Preserve: true},
	{Name: "featured", Kind: Boolean, In: InBody, Preserve: true},
	{Name: "categories", Kind: Terms, In: InBody, Null: true, Of: "categories"},
	{Name: "tags", Kind: Terms, In: InBody, Null: true, Of: "tags", LookedUp: true},
	{Name: "venue", Kind: Links, In: InBody, Null: true, Of: "venues", Single: true},
	{Name: "organizer", Kind: Links, In: InBody, Null: true, Of: "organizers", Preserve: true},
}

var venueFields = []*Param{
	{Name: "author", Kind: Integer, In: InBody},
	{Name: "date", Kind: DateTime, In: InBody, Zone: SiteZone, Moves: []string{"date_utc", "status"}},
	{Name: "date_utc", Kind: DateTime, In: InBody, Zone: UTCZone, Moves: []string{"date", "status"}},
	{Name: "venue", Kind: Text, In: InBody, Required: true, Filled: true, CannotEmpty: true},
	{Name: "description", Kind: Text, In: InBody, Null: true, MaxLen: Unlimited, CannotEmpty: true},
	{Name: "status", Kind: Text, In: InBody, Filled: true, Known: statuses, Preserve: true, Moves: []string{"date", "date_utc"}},
	{Name: "show_map", Kind: TextLike, In: InBody, Null: true, Preserve: true},
	{Name: "show_map_link", Kind: TextLike, In: InBody, Null: true, Preserve: true},
	{Name: "address", Kind: Text, In: InBody, Null: true},
	{Name: "city", Kind: Text, In: InBody, Null: true},
	{Name: "country", Kind: Text, In: InBody, Null: true},
	{Name: "province", Kind: Text, In: InBody, Null: true, Moves: []string{"state", "stateprovince"}},
	{Name: "state", Kind: Text, In: InBody, Null: true, Moves: []string{"province", "stateprovince"}},
	{Name: "zip", Kind: Text, In: InBody, Null: true},
	{Name: "phone", Kind: Text, In: InBody, Null: true},
	{Name: "stateprovince", Kind: Text, In: InBody, Null: true, Preserve: true, Moves: []string{"province", "state"}},
	{Name: "website", Kind: Text, In: InBody, Null: true},
	{Name: "image", Kind: Image, In: InBody, Null: true, Page: true, Preserve: true},
}

var organizerFields = []*Param{
	{Name: "author", Kind: Integer, In: InBody, Null: true},
	{Name: "date", Kind: DateTime, In: InBody, Null: true, Zone: SiteZone, Moves: []string{"date_utc", "status"}},
	{Name: "date_utc", Kind: DateTime, In: InBody, Null: true, Zone: UTCZone, Moves: []string{"date", "status"}},
	{Name: "organizer", Kind: Text, In: InBody, Required: true, Filled: true, CannotEmpty: true},
	{Name: "description", Kind: Text, In: InBody, Null: true, MaxLen: Unlimited, CannotEmpty: true},
	{Name: "status", Kind: Text, In: InBody, Null: true, Filled: true, Known: statuses, Preserve: true,
		Moves: []string{"date", "date_utc"}},
	{Name: "phone", Kind: Text, In: InBody, Null: true},
	{Name: "website", Kind: Text, In: InBody, Null: true},
	{Name: "email", Kind: Text, In: InBody, Null: true},
	{Name: "image", Kind: Image, In: InBody, Null: true, Page: true, Preserve: true},
}

var categoryFields = []*Param{
	{Name: "name", Kind: Text, In: InBody, Required: true, MaxLen: 200, Filled: true},
	{Name: "description", Kind: Text, In: InBody, MaxLen: Unlimited, Filled: true},
	{Name: "slug", Kind: Slug, In: InBody, MaxLen: MaxSlug, Filled: true},
	{Name: "parent", Kind: Integer, In: InBody, Filled: true, Min: 1, Names: "categories"},
}

// tagFields are the fields of a category without the last field, the parent.
var tagFields = categoryFields[:len(categoryFields)-1]

// methods are the methods of an action, in the order of Allow.
var methods = map[Action][]string{
	Index: {"GET"}, Doc: {"GET"}, List: {"GET"}, Read: {"GET"},
	Create: {"POST"},
	Update: {"POST", "PUT", "PATCH"},
	Delete: {"DELETE"},
}

// items holds the parts that the rows of a resource share: the fields of writes, the shape of an item, and the
// freshness of the response to a read. rows and itemRows copy these parts.
var items = map[string]struct {
	fields []*Param
	shape  *Shape
	ttl    time.Duration
}{
	"events":     {eventFields, eventShape, time.Minute},
	"venues":     {venueFields, venueShape, 5 * time.Minute},
	"organizers": {organizerFields, organizerShape, 5 * time.Minute},
	"categories": {categoryFields, termShape, 10 * time.Minute},
	"tags":       {tagFields, termShape, 10 * time.Minute},
}

// Table is the contract: every endpoint, 36 rows and 52 pairs of method and
// path. The order is the order of the specification.
//
// Every row has [Language] too, and the parts that items has for the resource.
var Table = slices.Concat(
	[]*Endpoint{
		{Action: Index, Path: "", Params: []*Param{&inIndex, {Name: "context", Kind: Text, Default: "view"}}},
		{Action: Doc, Path: "/doc"},
	},
	rows("events", eventFilters), itemRows("events", &IDParam, &password), itemRows("events", &SlugParam),
	rows("venues", linkedFilters), itemRows("venues", &IDParam), itemRows("venues", &SlugParam),
	rows("organizers", linkedFilters), itemRows("organizers", &IDParam), itemRows("organizers", &SlugParam),
	rows("categories", termFilters("categories")), itemRows("categories", &IDParam),
	rows("tags", tagFilters), itemRows("tags", &IDParam),
)

// rows returns the rows of a collection; filters are the parameters of the list.
func rows(resource string, filters []*Param) []*Endpoint {
	return []*Endpoint{
		{Resource: resource, Action: List, Path: "/" + resource, Params: filters},
		{Resource: resource, Action: Create, Path: "/" + resource},
	}
}

// itemRows returns the rows of an item, which the first parameter names.
func itemRows(resource string, params ...*Param) []*Endpoint {
	path := "/" + resource + "/{" + IDParam.Name + "}"
	if params[0].Kind == Slug {
		path = "/" + resource + "/" + SlugLiteral + "/{" + SlugParam.Name + "}"
	}
	return []*Endpoint{
		{Resource: resource, Action: Read, Path: path, Params: params},
		{Resource: resource, Action: Update, Path: path, Params: params},
		{Resource: resource, Action: Delete, Path: path, Params: params},
	}
}

// TextsParam selects the form of the texts of a response.
var TextsParam = Param{Name: "texts", Kind: Text, Filled: true, Enum: []string{PlainTexts}, Text: "common.texts"}

// PlainTexts is the value of [TextsParam] for texts as people read them, without HTML.
const PlainTexts = "plain"

// views are the extensions of reads, which select a view of the items of a shape.
func views(item *Shape) []*Param {
	return []*Param{{Name: "fields", Kind: FieldSet, Shape: item, Text: "common.fields"}, &TextsParam}
}

// SlugLiteral is the path segment before a slug.
const SlugLiteral = "by-slug"

// counted are the resources with a count of another resource in responses: a change of the other changes all
// responses.
var counted = map[string]string{"categories": "events", "tags": "events"}

// occurrencesFrom is the id, by resource, above which occurrences of a series begin: occurrences have no stored
// id, and the site's paid plugin for recurring events makes an id of this number and a count. The plugin raises
// the number if real ids come near; an item with such an id is then treated as an occurrence, and purged too
// often.
var occurrencesFrom = map[string]int64{"events": 10_000_000}

// MaxSlug is the length to which the legacy's database cuts a slug, in characters.
const MaxSlug = 200

// Unlimited is the MaxLen of a text that only the size of the body limits.
const Unlimited = -1

// FieldsOf returns the writable fields of a resource.
func FieldsOf(resource string) []*Param { return items[resource].fields }
