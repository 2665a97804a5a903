package tec

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Differences are the known differences between the legacy's responses and the converted responses of the successor.
func Differences() []compare.Known {
	missing := []compare.Kind{compare.Missing}
	extra := []compare.Kind{compare.Extra}
	value := []compare.Kind{compare.Value}
	kind := []compare.Kind{compare.Type}
	return []compare.Known{
		{Name: "website", Why: "The `website` of an event is empty.", Members: []string{"events.website"}, Kinds: value, If: isLost},
		{Name: "map switches", Why: "`show_map` and `show_map_link` of events and venues are null.",
			Members: []string{"show_map", "show_map_link"}, Kinds: kind, If: isSwitchLost},
		{Name: "hide_from_listings", Why: "The `hide_from_listings` of an event is null.",
			Members: []string{"events.hide_from_listings"}, Kinds: kind, If: isSwitchLost},
		{Name: "json_ld", Why: "Items have no `json_ld`.", Members: []string{"json_ld"}, Kinds: missing},
		{Name: "links of terms", Why: "Terms have no `_links`.", Members: []string{"categories._links", "tags._links"}, Kinds: missing},
		{Name: "rows of terms", Why: "Terms have no `filter`, `term_group` and `term_taxonomy_id`, and tags no `parent`.",
			Members: []string{"filter", "term_group", "term_taxonomy_id", "tags.parent"}, Kinds: missing},
		{Name: "cost_details", Why: "The `cost_details` of an event are derived from its `cost`.", Members: []string{"events.cost_details"},
			Kinds: []compare.Kind{compare.Value, compare.Missing, compare.Extra, compare.Order}, If: sameCost},
		{Name: "excerpts of events", Why: "The `excerpt` of an event without one is made of its description.",
			Members: []string{"events.excerpt"}, Kinds: value, If: noExcerpt},
		{Name: "excerpts of places", Why: "The `excerpt` of a venue or an organizer without one is made of its description.",
			Members: []string{"venues.excerpt", "organizers.excerpt"}, Kinds: extra},
		{Name: "global ids", Why: "`global_id` and `global_id_lineage` lack the path of the language.",
			Members: []string{"global_id", "global_id_lineage"}, Kinds: value, If: sameButForPath},
		{Name: "protected events",
			Why:     "A list shows no dates (`0000-00-00 00:00:00`), `timezone` and `timezone_abbr` of an event with a password.",
			Members: hiddenDates, Kinds: value, If: isProtected},
		{Name: "protected venues", Why: "Texts that a venue with a password does not have are present and empty.",
			Members: hiddenTexts(), Kinds: extra, If: isEmptyText},
		{Name: "hidden events", Why: "Lists have the events that are hidden from listings.",
			Unlisted: map[string]func([]byte) bool{"events.list": isHidden}},
		{Name: "refused filters", Why: "A filter that the successor ignores is refused.",
			Statuses: [][2]string{{"200", "501 calendar_not_supported"}}},
		// WordPress finds a post with a parent only by the slugs of both (get_page_by_path).
		{Name: "children by slug", Why: "The slug of an event that has a parent finds it.",
			Statuses:  [][2]string{{"400 rest_invalid_param", "200"}},
			Endpoints: []string{mapping.RowOf("events", mapping.Read, true).Name()}},
	}
}

// hiddenTexts returns the attributes of venues that are empty texts behind a password, also if the venue has no
// text there.
func hiddenTexts() (names []string) {
	for _, a := range mapping.RowOf("venues", mapping.Read, false).Result.Attributes {
		if a.Optional && a.Type == mapping.String && a.Name != "excerpt" && !slices.Contains(shownLocked, a.Name) {
			names = append(names, "venues."+a.Name)
		}
	}
	return names
}

// hiddenDates are the attributes that the legacy shows of an event with a password, and the successor
// does not.
var hiddenDates = []string{"events.timezone", "events.timezone_abbr", "events.start_date", "events.start_date_details", "events.end_date",
	"events.end_date_details", "events.utc_start_date", "events.utc_start_date_details", "events.utc_end_date",
	"events.utc_end_date_details"}

// isLost accepts an empty text instead of another text.
func isLost(p compare.Pair) bool { return p.Want.Kind == jsontext.KindString && isEmptyText(p) }

// isSwitchLost accepts null instead of a flag.
func isSwitchLost(p compare.Pair) bool {
	_, isFlag := mapping.ParseBool(p.Want.Text) // a plugin may turn true into 1 or "1"
	return isFlag && p.Got.Kind == jsontext.KindNull
}

func isEmptyText(p compare.Pair) bool {
	return p.Got == compare.Scalar{Kind: jsontext.KindString}
}

// sameCost accepts details that are derived from a price, if the text of the price is the same. The details may
// not be missing as a whole.
func sameCost(p compare.Pair) bool {
	cost := p.Beside("cost")
	return cost.Want == cost.Got && p.Want.Kind != jsontext.KindBeginObject
}

// noExcerpt accepts any text instead of an empty one.
func noExcerpt(p compare.Pair) bool {
	return p.Want == compare.Scalar{Kind: jsontext.KindString} && p.Got.Kind == jsontext.KindString
}

// sameButForPath accepts global ids that are the same without the path before the query.
func sameButForPath(p compare.Pair) bool {
	host, _, _ := strings.Cut(p.Want.Text, "/")
	_, query, _ := strings.Cut(p.Want.Text, "?")
	return p.Got.Text == host+"?"+query
}

// isProtected accepts values that are hidden together with the dates.
func isProtected(p compare.Pair) bool {
	return strings.Trim(p.Beside("start_date").Got.Text, "0-: ") == "" && strings.Trim(p.Got.Text, "0-: ") == ""
}

func isHidden(event []byte) bool {
	return mapping.ShownFlag(jsonscan.Get(event, "hide_from_listings")) == "true"
}
