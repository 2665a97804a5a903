package purging_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/mapping/recordedtest"
)

// recorded has the names of WordPress that responses of the site show.
type recorded struct{ authors, postTypes, taxonomies map[string]bool }

var ofPostType = regexp.MustCompile(`[?&]post_type=(\w+)`)

// collect adds the items that a body shows: a term names its taxonomy, the link to a draft its
// post type, and all but terms have a global id and an author.
func (s recorded) collect(v any) {
	switch v := v.(type) {
	case []any:
		for _, value := range v {
			s.collect(value)
		}
	case map[string]any:
		if taxonomy, ok := v["taxonomy"].(string); ok {
			s.taxonomies[taxonomy] = true
		}
		if link, ok := v["url"].(string); ok {
			if m := ofPostType.FindStringSubmatch(link); m != nil {
				s.postTypes[m[1]] = true
			}
		}
		if author, ok := v["author"].(string); ok && v["global_id"] != nil {
			s.authors[author] = true
		}
		for _, value := range v {
			s.collect(value)
		}
	}
}

// The plugin knows the post types and taxonomies that a real site shows, and no
// others. Of authors the site shows the number: a new name needs no purge.
func TestPluginRecordings(t *testing.T) {
	files := recordedtest.Files(t, "categories/*/*", "events/*/*", "organizers/*/*", "tags/*/*", "venues/*/*", "polylang/*/*",
		"translatepress/*/*")
	s := recorded{authors: map[string]bool{}, postTypes: map[string]bool{}, taxonomies: map[string]bool{}}
	for _, file := range files {
		var body any
		if json.Unmarshal(processtest.RecordedCall(t, file).Answer, &body) == nil { // or there is no body
			s.collect(body)
		}
	}
	var plugin struct{ Posts, Terms []string }
	out := php(t, nil, "", "-r", `const ABSPATH = '/'; function add_filter() {} function register_activation_hook() {} require '`+
		pluginFile+`';
		echo json_encode( array( 'posts' => array_keys( CALFACADE_PURGE_POSTS ), 'terms' => array_keys( CALFACADE_PURGE_TERMS ) ) );`)
	if err := json.Unmarshal([]byte(out), &plugin); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(s.postTypes)), plugin.Posts); diff != "" {
		t.Errorf("post types (-recorded +plugin):\n%s", diff)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(s.taxonomies)), plugin.Terms); diff != "" {
		t.Errorf("taxonomies (-recorded +plugin):\n%s", diff)
	}
	for author := range s.authors {
		if strings.Trim(author, "0123456789") != "" {
			t.Errorf("author %q is shown by more than a number", author)
		}
	}
	if len(s.authors) == 0 {
		t.Error("no author was read")
	}
}
