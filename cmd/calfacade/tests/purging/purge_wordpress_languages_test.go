package purging_test

import (
	"testing"
)

const event212 = `{"type":"event","id":212,"language":"en"}`

// WPML writes dates, statuses and parents of translations by SQL and calls no hook
// for that: each change is one of the translations too. Source: WPML 4.4.10,
// inc/post-translation/wpml-post-synchronization.class.php.
func TestPluginWPML(t *testing.T) {
	element := func(id any, kind string) map[string]any {
		return map[string]any{"type": "update", "trid": 1, "element_id": id, "element_type": kind, "context": "post"}
	}
	changes{
		"event":           {scene{{"save_post", 12}}, event12 + "," + event212},
		"both":            {scene{{"save_post", 212}, {"save_post", 12}}, event212 + "," + event12},
		"not translated":  {scene{{"save_post", 9}}, organizer9},
		"no translations": {scene{{"save_post", 55}}, venue55},
		"category": {scene{{"edited_term", 5, 1005, "tribe_events_cat"}},
			`{"type":"category","id":5,"language":"es"},{"type":"category","id":6,"language":"en"}`},
		"tag":     {scene{{"edited_term", 4, 1004, "post_tag"}}, tag4},
		"deleted": {scene{{"before_delete_post", 55}, {"= no post", 55}, {"clean_post_cache", 55}}, venue55},
		"language by hook": {scene{{"wpml_set_element_language_details", element(55, "post_tribe_venue")},
			{"= language of post", 55, "en"}}, `{"type":"venue","id":55}`},
		"language in WPML": {scene{{"= language of post", 55, "en"},
			{"wpml_translation_update", element("55", "post_tribe_venue")}}, `{"type":"venue","id":55}`},
		"changes on saving": {scene{{"save_post", 55}, {"= language of post", 55, "en"}}, `{"type":"venue","id":55}`},
		"of a category":     {scene{{"wpml_translation_update", element(1003, "tax_tribe_events_cat")}}, `{"type":"category","id":3}`},
		"of no category":    {scene{{"wpml_translation_update", element(1099, "tax_tribe_events_cat")}}, ""},
		"editor is opened":  {scene{{"save_post", 13}, {"wpml_translation_update", element(13, "post_tribe_events")}}, ""},
		"of a page": {scene{{"wpml_translation_update", element(1, "post_page")},
			{"wpml_set_element_language_details", map[string]any{"element_id": 1}}}, ""},
		"of a group": {scene{{"wpml_translation_update",
			map[string]any{"type": "before_delete", "trid": "1", "element_type": "post_tribe_events",
				"context": "post"}}}, `{"type":"event","any":true}`},
		"of an original": {scene{{"wpml_translation_update", map[string]any{"trid": 1}},
			{"wpml_translation_update", map[string]any{"type": "before_delete", "translation_id": 9, "context": "post"}}}, ""},
		"language deleted": {scene{{"wpml_translation_update", map[string]any{"type": "before_language_delete", "language": "fr"}}}, "*"},
		"languages":        {scene{{"wpml_update_active_languages"}}, "*"},
		"default language": {scene{{"icl_after_set_default_language", "es", "en"}}, "*"},
	}.check(t, "wpml")
}

// Polylang keeps the language in a taxonomy. The fields that it copies to translations it
// writes with hooks. Source: Polylang 3.9-dev, src/crud-posts.php, crud-terms.php,
// translatable-object.php and modules/sync.
func TestPluginPolylang(t *testing.T) {
	changes{
		"event":         {scene{{"save_post", 12}, {"pll_save_post", 12}}, event12},
		"pll_save_post": {scene{{"pll_save_post", 12}}, event12},
		"pll_save_term": {scene{{"pll_save_term", 3, "tribe_events_cat"}}, music},
		"new event": {scene{{"= language of post", 12, ""}, {"save_post", 12}, {"= language of post", 12, "es"},
			{"set_object_terms", 12, []int{20}, []int{1020}, "language", false, []int{}}}, event12},
		"language changes": {scene{{"= language of post", 12, "en"},
			{"set_object_terms", 12, []int{21}, []int{1021}, "language", false, []int{1020}}, {"save_post",
				12}}, `{"type":"event","id":12}`},
		"editor is opened": {scene{{"save_post", 13}, {"set_object_terms", 13, []int{20}, []int{1020}, "language", false, []int{}}}, ""},
		"language stays":   {scene{{"set_object_terms", 12, []int{20}, []int{1020}, "language", false, []int{1020}}}, ""},
		"language of a tag": {scene{{"= language of term", 4, "en"},
			{"set_object_terms", 4, []int{31}, []int{1031}, "term_language", false, []int{1030}}}, tag4},
		"first of a term":  {scene{{"set_object_terms", 3, []int{31}, []int{1031}, "term_language", false, []int{}}}, music},
		"of a blog's term": {scene{{"set_object_terms", 8, []int{31}, []int{1031}, "term_language", false, []int{1030}}}, ""},
		"of no term":       {scene{{"set_object_terms", 99, []int{31}, []int{1031}, "term_language", false, []int{1030}}}, ""},
		"group":            {scene{{"set_object_terms", 12, []int{40}, []int{1040}, "post_translations", false, []int{}}}, ""},
		// "Set all content without a language to the default language".
		"language for all": {scene{{"= language of post", 9, "en"}, {"clean_term_cache", []any{9, "12", 1}, "language", true}},
			`{"type":"event","id":12},` + organizer9},
		"for all terms": {scene{{"= language of term", 4, "en"},
			{"clean_term_cache", []int{4, 3, 8, 99}, "term_language", true}}, tag4 + `,{"type":"category","id":3}`},
		"for many": {scene{{"clean_term_cache", make([]int, 151), "language", true}}, anyPost},
		"for many terms": {scene{{"clean_term_cache", make([]int, 151), "term_language", true}},
			`{"type":"tag","any":true},{"type":"category","any":true}`},
		"posts counted": {scene{{"clean_term_cache", []int{12}, "language", false}}, ""},

		"language added":   {scene{{"pll_add_language", []string{}}}, "*"},
		"language renamed": {scene{{"pll_update_language", []string{}, 1}}, "*"},
		"default language": {scene{{"pll_update_default_lang", "es", "en"}}, "*"},
	}.check(t, "polylang")
}

// TranslatePress has one item in all languages, and texts whose items it does not
// know. Source: TranslatePress, includes/class-editor-api-regular-strings.php.
func TestPluginTranslatePress(t *testing.T) {
	changes{
		"event":          {scene{{"save_post", 12}}, `{"type":"event","id":12}`},
		"texts":          {scene{{"trp_save_editor_translations_regular_strings", []string{}, []string{}}}, "*"},
		"plugin's texts": {scene{{"trp_save_editor_translations_gettext_strings", []string{}, []string{}}}, "*"},
		"languages":      {scene{{"updated_option", "trp_settings", []string{}, []string{"fr"}}}, "*"},
	}.check(t, "")
}
