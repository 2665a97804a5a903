package purging_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// change is a request of WordPress, and the objects that it purges.
type change struct {
	scene scene
	want  string // "" is no purge, "*" is everything
}

type changes map[string]change

// check plays each request on a site that has these plugins.
func (c changes) check(t *testing.T, plugins string) {
	t.Helper()
	names := slices.Sorted(maps.Keys(c))
	var scenes []scene
	for _, name := range names {
		scenes = append(scenes, c[name].scene)
	}
	got := play(t, plugins, "http://127.0.0.1:1/purge", scenes...)
	if len(got) != len(names)+1 {
		t.Fatalf("%d scenes made %q", len(names), got)
	}
	for i, name := range names {
		want := ""
		switch {
		case c[name].want == "*":
			want = `{"all":true}`
		case c[name].want != "":
			want = `{"objects":[` + c[name].want + `]}`
		}
		head, _, _ := strings.Cut(got[i], "\n")
		head = strings.TrimPrefix(head, "POST 1 ")
		if head != want {
			t.Errorf("%s sent\n%s, want\n%s", name, head, want)
		}
	}
}

const (
	event12    = `{"type":"event","id":12,"language":"es"}`
	event15    = `{"type":"event","id":15,"language":"es"}`
	event2016  = `{"type":"event","id":2016}`
	venue55    = `{"type":"venue","id":55,"language":"de"}`
	anyPost    = `{"type":"event","any":true},{"type":"organizer","any":true},{"type":"venue","any":true}`
	music      = `{"type":"category","id":3,"language":"es"}`
	tag4       = `{"type":"tag","id":4}`
	organizer9 = `{"type":"organizer","id":9}`
)

// The hooks, their order and their arguments are from WordPress 6.8.8
// (wp-includes/post.php, meta.php, taxonomy.php and option.php).
func TestPluginPosts(t *testing.T) {
	changes{
		"saved":        {scene{{"save_post", 12}}, event12},
		"no language":  {scene{{"save_post", 9}}, organizer9},
		"another type": {scene{{"save_post", 1}}, ""},
		"no post":      {scene{{"save_post", 77}}, ""},
		"auto-draft":   {scene{{"save_post", 13}}, ""},
		"revision":     {scene{{"save_post", 14}}, ""},
		"nothing":      {scene{{"save_post", 0}}, ""},
		"at the end":   {scene{{"= at the end", "save_post", 12}}, event12},
		"bulk edit": {scene{{"clean_post_cache", 12}, {"save_post", 12},
			{"set_object_terms", 12, []int{3}, []int{1003}, "tribe_events_cat", true, []int{}},
			{"clean_post_cache", 15}, {"save_post", 15}, {"clean_post_cache", 9}, {"save_post", 9}}, event12 + "," + event15 + "," +
			organizer9},
		"scheduled event is published": {scene{{"clean_post_cache", 2016}, {"transition_post_status", "publish", "future", 2016},
			{"save_post", 2016}}, event2016},
		"status alone": {scene{{"transition_post_status", "draft", "publish", 12}}, event12},
		"made a blog post": {scene{{"= type of post", 12, "post"}, {"clean_post_cache", 12},
			{"post_updated", 12, "tribe_events"}, {"save_post", 12}}, event12},
		"made a venue": {scene{{"= type of post", 12, "tribe_venue"}, {"clean_post_cache", 12},
			{"post_updated", 12, "tribe_events"}, {"save_post", 12}},
			event12 + `,{"type":"venue","id":12,"language":"es"}`},
		"made an event": {scene{{"= type of post", 1, "tribe_events"}, {"clean_post_cache", 1},
			{"post_updated", 1, "post"}, {"save_post", 1}}, `{"type":"event","id":1,"language":"en"}`},
		"series made a page": {scene{{"= type of post", 60, "page"}, {"post_updated", 60, "tribe_event_series"}},
			`{"type":"event","any":true}`},
		"of the type that it was": {scene{{"post_updated", 1, "post"}}, ""},
		"new, of another type":    {scene{{"= type of post", 13, "post"}, {"post_updated", 13, "tribe_events", "auto-draft"}}, ""},
		"trashed": {scene{{"transition_post_status", "trash", "publish", 12}, {"save_post", 12},
			{"trashed_post", 12}}, event12},
		"trashed without a save": {scene{{"trashed_post", 12}}, event12},
		"restored":               {scene{{"untrashed_post", 12}}, event12},
		"deleted": {scene{{"before_delete_post", 55}, {"delete_post_meta", []int{8}, 55, "_VenueCity", ""},
			{"= no post", 55}, {"clean_post_cache", 55}}, venue55},
		// An author who is deleted leaves the posts to another by SQL, and so do the
		// language plugins with dates and statuses.
		"by SQL": {scene{{"clean_post_cache", 12}}, event12},
	}.check(t, "polylang")
}

func TestPluginMeta(t *testing.T) {
	var many []int
	var images scene
	for i := range 151 {
		many = append(many, 1000+i)
		images = append(images, act{"updated_post_meta", 5, 5000 + i, "_wp_attachment_metadata", "..."})
	}
	tests := changes{
		"taken from all posts": {scene{{"delete_post_meta", []int{31, 32, 33, 34, 35}, 0, "_thumbnail_id", "70"}}, event12 +
			"," + venue55},
		"taken from many posts":  {scene{{"delete_post_meta", many, 0, "_EventCost", ""}}, anyPost},
		"hidden from many posts": {scene{{"delete_post_meta", many, 0, "_edit_lock", ""}}, ""},
		"image replaced":         {scene{{"updated_post_meta", 5, 70, "_wp_attachment_metadata", "..."}}, event12 + "," + venue55},
		"image moved":            {scene{{"updated_post_meta", 5, 70, "_wp_attached_file", "..."}}, event12 + "," + venue55},
		"image that none shows":  {scene{{"added_post_meta", 5, 72, "_wp_attached_file", "..."}}, ""},
		"many images":            {images, anyPost},
		"image that many show":   {scene{{"updated_post_meta", 5, 71, "_wp_attachment_metadata", "..."}}, anyPost},
		"text beside an image":   {scene{{"updated_post_meta", 5, 70, "_wp_attachment_image_alt", "..."}}, ""},
		"meta of another type":   {scene{{"updated_post_meta", 5, 1, "_thumbnail_id", "70"}}, ""},
		"many times": {scene{{"added_post_meta", 5, 12, "_EventCost", "5"},
			{"updated_post_meta", 6, 12, "_EventURL", "..."}}, event12},
		"key that the site shows": {scene{{"updated_post_meta", 5, 12, "_of_the_site", "..."}}, event12},
	}
	for key, visible := range map[string]bool{
		"_EventCost": true, "_EventStartDate": true, "_EventVenueID": true, "_OrganizerEmail": true, "_VenueCity": true,
		"_ecp_custom_2": true, "_thumbnail_id": true, "_tribe_events_status": true, "_tribe_featured": true,
		"_edit_lock": false, "_edit_last": false, "_wp_old_slug": false, "post_views_count": false,
	} {
		want := ""
		if visible {
			want = event12
		}
		for hook, id := range map[string]any{"added_post_meta": 5, "updated_post_meta": 5, "delete_post_meta": []int{5}} {
			tests[hook+" "+key] = change{scene: scene{{hook, id, 12, key, "..."}}, want: want}
		}
	}
	tests.check(t, "polylang")
}

func TestPluginTerms(t *testing.T) {
	changes{
		"set": {scene{{"set_object_terms", 12, []int{3}, []int{1003}, "tribe_events_cat", false, []int{}}}, event12},
		"replaced": {scene{{"set_object_terms", 12, []int{3}, []string{"1003"}, "tribe_events_cat", false, []int{1005}}},
			event12},
		"set to none":        {scene{{"set_object_terms", 12, []int{}, []int{}, "post_tag", false, []int{1004}}}, event12},
		"set to what it was": {scene{{"set_object_terms", 12, []int{3}, []string{"1003"}, "tribe_events_cat", false, []int{1003}}}, ""},
		"by another plugin":  {scene{{"set_object_terms", 12, []int{3}, []int{1003}, "tribe_events_cat"}}, event12},
		"added":              {scene{{"set_object_terms", 12, []int{4}, []int{1004}, "post_tag", true, []int{}}}, event12},
		"removed":            {scene{{"deleted_term_relationships", 12, []int{1004}, "post_tag"}}, event12},
		"of another taxonomy": {scene{{"set_object_terms", 12, []int{8}, []int{1008}, "category", false, []int{}},
			{"deleted_term_relationships", 12, []int{1008}, "category"}}, ""},
		// Tags are shared with posts, and the answers have their count.
		"tag of a blog post": {scene{{"set_object_terms", 1, []int{4}, []int{1004}, "post_tag", false, []int{}},
			{"clean_term_cache", []int{4}, "post_tag", false}}, tag4},

		"created": {scene{{"created_term", 3, 1003, "tribe_events_cat"}}, music},
		"edited":  {scene{{"edited_term", 4, 1004, "post_tag"}}, tag4},
		"deleted": {scene{{"pre_delete_term", 3, "tribe_events_cat"},
			{"clean_term_cache", []int{3}, "tribe_events_cat", true}}, music},
		"not in the answers": {scene{{"created_term", 8, 1008, "category"}, {"edited_term", 8, 1008, "category"},
			{"pre_delete_term", 8, "category"}}, ""},
		"no term":              {scene{{"clean_term_cache", []any{0, ""}, "post_tag", true}}, ""},
		"children get another": {scene{{"clean_term_cache", []string{"3"}, "tribe_events_cat", true}}, music},
		"split": {scene{{"split_shared_term", 4, 5, 1005, "tribe_events_cat"}},
			`{"type":"category","id":4},{"type":"category","id":5,"language":"es"}`},
		"split elsewhere": {scene{{"split_shared_term", 4, 8, 1008, "category"}}, ""},
		"merged": {scene{{"set_object_terms", 12, []int{5}, []int{1005}, "tribe_events_cat", true, []int{}},
			{"clean_term_cache", []int{5}, "tribe_events_cat", false},
			{"pre_delete_term", 3, "tribe_events_cat"}, {"deleted_term_relationships", 12, []int{1003}, "tribe_events_cat"}},
			event12 + `,{"type":"category","id":5,"language":"es"},` + music},
	}.check(t, "polylang")
}

// All answers show the time zone, the form of links, currencies and texts.
func TestPluginSite(t *testing.T) {
	option := "tribe_events_calendar_options"
	was := map[string]any{"defaultCurrencySymbol": "$", "latest_date": "2027-01-01", "latest_date_markers": []int{12}}
	saved := map[string]any{"defaultCurrencySymbol": "$", "latest_date": "2027-01-02", "latest_date_markers": []int{15},
		"earliest_date": "2026-01-01", "earliest_date_markers": []int{15}}
	euros := map[string]any{"defaultCurrencySymbol": "€", "latest_date": "2027-01-01", "latest_date_markers": []int{12}}
	tests := changes{
		"currency":            {scene{{"updated_option", option, was, euros}}, "*"},
		"an event was saved":  {scene{{"updated_option", option, was, saved}}, ""},
		"first settings":      {scene{{"added_option", option, euros}}, "*"},
		"no settings":         {scene{{"deleted_option", option}}, "*"},
		"settings are broken": {scene{{"updated_option", option, "", was}}, "*"},
		"zone for the first":  {scene{{"added_option", "timezone_string", "Europe/London"}}, "*"},
		"another option": {scene{{"updated_option", "cron", []int{}, []int{1}}, {"deleted_option", "rewrite_rules"},
			{"added_option", "x", "y"}}, ""},
		"update":    {scene{{"upgrader_process_complete", 1, []string{}}}, "*"},
		"with more": {scene{{"save_post", 12}, {"updated_option", "home", "a", "b"}, {"save_post", 15}}, "*"},
	}
	for _, name := range []string{"active_plugins", "gmt_offset", "home", "permalink_structure", "polylang", "siteurl", "tag_base",
		"timezone_string", "trp_settings", "upload_path", "upload_url_path", "WPLANG"} {
		tests[name] = change{scene: scene{{"updated_option", name, "a", "b"}}, want: "*"}
	}
	tests.check(t, "")
}

// An occurrence has an id that no change of its series names.
func TestPluginSeries(t *testing.T) {
	anyEvent := `{"type":"event","any":true}`
	changes{
		"recurring event": {scene{{"save_post", 15}}, event15 + `,{"type":"event","any":true,"language":"es"}`},
		"deleted": {scene{{"before_delete_post", 15}, {"= no post", 15}, {"clean_post_cache", 15}}, event15 +
			`,{"type":"event","any":true,"language":"es"}`},
		"other event": {scene{{"save_post", 12}}, event12},
		"occurrences": {scene{{"tec_events_custom_tables_v1_after_save_occurrences", 15}}, event15 +
			`,{"type":"event","any":true,"language":"es"}`},
		"series":            {scene{{"save_post", 60}}, anyEvent},
		"tag of its number": {scene{{"edited_term", 15, 1015, "post_tag"}}, `{"type":"tag","id":15}`},
		"new series":        {scene{{"save_post", 61}}, ""},
		"series and its event": {scene{{"save_post", 12}, {"save_post", 60}, {"save_post", 15}, {"save_post", 9}}, anyEvent + "," +
			organizer9},
		"events of a series": {scene{{"tec_events_pro_custom_tables_v1_series_relationships_updated", 60, []int{12}}}, anyEvent},
		"series of an event": {scene{{"tec_events_pro_custom_tables_v1_event_relationship_updated", 12, []int{60}}}, event12},
	}.check(t, "polylang series")
}

// Past 150 items of a type its items are not named, and the others are.
func TestPluginBound(t *testing.T) {
	var names []string
	for i := range 150 {
		names = append(names, fmt.Sprintf(`{"type":"event","id":%d}`, 2000+i))
	}
	changes{
		"most":     {append(saved(150), act{"save_post", 9}), strings.Join(names, ",") + "," + organizer9},
		"too many": {append(saved(151), act{"save_post", 9}, act{"save_post", 2500}), `{"type":"event","any":true},` + organizer9},
	}.check(t, "")
}
