package i18n_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/i18n"
)

func TestChoose(t *testing.T) {
	byBoth := i18n.Languages{{Code: "en", Root: "/wp-json"}, {Code: "es", Root: "/es/wp-json"}}
	byPath := i18n.Languages{{Code: "en", Root: "/wp-json", Select: i18n.ByPath}, {Code: "es", Root: "/es/wp-json", Select: i18n.ByPath}}
	byParameter := i18n.Languages{{Code: "en", Select: i18n.ByParameter}, {Code: "es", Select: i18n.ByParameter}}
	for _, test := range []struct {
		name   string
		site   i18n.Languages
		root   int
		header string
		want   i18n.Choice
	}{
		{"the root's own", byBoth, 1, "", i18n.Choice{Index: 1, Spoken: "es"}},
		{"named", byBoth, 0, "es", i18n.Choice{Index: 1, Tell: "es", Spoken: "es"}},
		{"named against the root", byBoth, 1, "en", i18n.Choice{Index: 0, Tell: "en", Spoken: "en"}},
		{"no root of its own", byBoth, 1, "fr", i18n.Choice{Index: 0, Tell: "fr", Spoken: "fr"}},
		{"by path", byPath, 0, "es", i18n.Choice{Index: 1, ByPath: true, Spoken: "es"}},
		{"by path, not named", byPath, 1, "", i18n.Choice{Index: 1, ByPath: true, Spoken: "es"}},
		{"by path, no root of its own", byPath, 1, "fr", i18n.Choice{Index: 0, ByPath: true, Spoken: "fr"}},
		{"by parameter", byParameter, 0, "es", i18n.Choice{Index: 1, Tell: "es", Spoken: "es"}},
		{"by parameter, not named", byParameter, 0, "", i18n.Choice{Index: 0, Tell: "en", Spoken: "en"}},
		{"by parameter, no root of its own", byParameter, 0, "fr", i18n.Choice{Index: 0, Tell: "fr", Spoken: "fr"}},
	} {
		if diff := cmp.Diff(test.want, test.site.Choose(test.root, test.header)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestRootOf(t *testing.T) {
	site := i18n.Languages{{Code: "en", Root: "/wp-json"}, {Code: "es", Root: "/es/wp-json"}, {Code: "de", Root: "/es"}}
	for path, want := range map[string]int{
		"/": 0, "/wp-json/x": 0, "/es/wp-json/x": 1, "/es/wp-json": 1, "/ES/WP-json/x": 1, "/es/wp-jsonx": 2, "/esx": 0,
	} {
		if got := site.RootOf(path); got != want {
			t.Errorf("%s: got %d, want %d", path, got, want)
		}
	}
}
