package sim

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// plainFields are the fields of an item whose values follow from what was written.
var plainFields = map[string][]string{
	"events": {
		"author", "status", "title", "description", "excerpt", "slug", "all_day", "start_date", "end_date", "utc_start_date",
		"utc_end_date",
		"timezone", "timezone_abbr", "cost", "cost_details", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured",
		"custom_fields", "url", "website", "date", "date_utc", "modified", "modified_utc",
	},
	"venues": {
		"author", "status", "venue", "description", "excerpt", "slug", "address", "city", "country", "province", "state", "stateprovince",
		"zip",
		"phone", "website", "show_map", "show_map_link", "url", "date", "date_utc", "modified", "modified_utc",
	},
	"organizers": {
		"author", "status", "organizer", "description", "excerpt", "slug", "phone", "website", "email", "url", "date", "date_utc",
		"modified", "modified_utc",
	},
	"categories": {"name", "slug", "description", "count", "taxonomy", "url"},
	"tags":       {"name", "slug", "description", "count", "taxonomy", "url"},
}

// linkedFields refer to other items: their ids are compared. A venue and an
// organizer have a name in the field that refers to them elsewhere.
var linkedFields = []string{"image", "venue", "organizer", "categories", "tags", "parent"}

// resetFields are fields of an event that an update sets even where it does not name
// them. Of an item of the seed nothing else follows from what was written.
var resetFields = []string{
	"status", "timezone", "all_day", "featured", "sticky", "show_map", "show_map_link", "hide_from_listings", "cost", "cost_details",
	"website",
	"organizer", "image", "date", "modified",
}

// compareItem compares the fields of the item that a write, or a read after it, has
// answered with.
func compareItem(t *testing.T, tr *translation, x exchange, got any) {
	t.Helper()
	want, _ := x.Response.Body.(map[string]any)
	have, _ := got.(map[string]any)
	if want["id"] == nil || have == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch {
		case tr.seeded[recordedID(want)] && !x.sets(name), name == "url" && !strings.Contains(x.file, "/en/"):
		case slices.Contains(linkedFields, name) && x.noun() != name:
			compareValue(t, name, tr.ownIDs(name, want[name]), idsOf(have[name]))
		case slices.Contains(plainFields[x.resource()], name):
			compareValue(t, name, tr.plain(t, x, name, want[name]), (&translation{}).plain(t, x, name, have[name]))
		}
	}
}

// resource is the folder that the exchange lies in.
func (x exchange) resource() string {
	resource, _, _ := strings.Cut(x.file, "/")
	return resource
}

// noun is the name of one item of the resource, and the field with its name.
func (x exchange) noun() string { return strings.TrimSuffix(x.resource(), "s") }

// quotes are all one in titles: WordPress turns them by rules that are not imitated.
var quotes = regexp.MustCompile(`(?:&#82(?:16|17|20|21|42|43);|&#039;|['"])+`)

// sets reports whether the exchange gives the field of an item a value of its own.
func (x exchange) sets(field string) bool {
	body, _ := x.Request.Body.(map[string]any)
	update := x.Request.Method != http.MethodGet && x.Request.Method != http.MethodDelete && !strings.Contains(x.Request.Path, "_method")
	return body[field] != nil || field == "status" || update && x.resource() == "events" && slices.Contains(resetFields, field)
}

// plain is a recorded value in terms of the stand-in.
func (tr *translation) plain(t *testing.T, x exchange, name string, v any) any {
	t.Helper()
	s, isText := v.(string)
	switch {
	case isText && (name == "url" || name == "website"):
		parts := strings.Split(tr.message(s), "/")
		for i := range parts {
			parts[i] = tr.slug(parts[i])
		}
		return strings.Join(parts, "/")
	case isText && name == "slug":
		return tr.slug(s)
	case isText && (name == "title" || name == x.noun()):
		return quotes.ReplaceAllString(s, "'")
	}
	return sinceNow(t, x, name, v)
}

var slugSuffix = regexp.MustCompile(`(-\d+|__trashed)?$`)

// slug translates a slug, also one that had a suffix put behind it.
func (tr *translation) slug(s string) string {
	suffix := slugSuffix.FindString(s)
	return tr.value(strings.TrimSuffix(s, suffix), nil) + suffix
}

// sinceNow replaces the time of the exchange, but for the seconds that it
// took, by a word.
func sinceNow(t *testing.T, x exchange, name string, v any) any {
	t.Helper()
	s, _ := v.(string)
	at, err := time.Parse(dateTime, s)
	if err != nil || !strings.HasPrefix(name, "date") && !strings.HasPrefix(name, "modified") {
		return v
	}
	if ago := recordedAt(t, x).Sub(at); ago >= 0 && ago <= 2*time.Second {
		return "now"
	}
	return v
}

// ownIDs are the ids of recorded items, in terms of the stand-in.
func (tr *translation) ownIDs(name string, v any) []int {
	ids := tr.posts
	if slices.Contains(termKeys, name) {
		ids = tr.terms
	}
	out := idsOf(v)
	for i, id := range out {
		if own, ok := ids[id]; ok {
			out[i] = own
		}
	}
	return out
}

// idsOf are the ids of an item, of the items of a list, or of neither.
func idsOf(v any) []int {
	switch v := v.(type) {
	case float64:
		return []int{int(v)}
	case map[string]any:
		return []int{recordedID(v)}
	case []any:
		var out []int
		for _, item := range v {
			out = append(out, recordedID(item))
		}
		return out
	}
	return nil
}

// learn takes down which items of the stand-in play the role of those that an
// exchange has made: the one it answers with, and those inside.
func (tr *translation) learn(x exchange, got any) {
	want, _ := x.Response.Body.(map[string]any)
	have, _ := got.(map[string]any)
	if want["id"] == nil || have["id"] == nil {
		return
	}
	own := tr.posts
	if x.resource() == "categories" || x.resource() == "tags" {
		own = tr.terms
	}
	pair := func(ids map[int]int, want, have []int) {
		for i := range min(len(want), len(have)) {
			if _, known := ids[want[i]]; !known {
				ids[want[i]] = have[i]
			}
		}
	}
	pair(own, idsOf(want), idsOf(have))
	for _, name := range linkedFields {
		ids := tr.posts
		if slices.Contains(termKeys, name) {
			ids = tr.terms
		}
		pair(ids, idsOf(want[name]), idsOf(have[name]))
	}
}

var _ = cmp.Diff
