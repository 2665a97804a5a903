package rewrite

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
)

func TestSplitRoot(t *testing.T) {
	for root, want := range map[string][2]string{
		"https://a/wp-json":                    {"https://a", "https://a"},
		"https://a/es/index.php/wp-json":       {"https://a/es", "https://a/es"},
		"https://a/blog/index.php?rest_route=": {"https://a/blog", "https://a/blog"},
		"https://a/blog/api":                   {"https://a/blog", "https://a/blog/api"},
		"https://a/index.php/api":              {"https://a", "https://a/index.php/api"},
		"https://api.a":                        {"https://api.a", "https://api.a"},
		"https://api.a:8443":                   {"https://api.a:8443", "https://api.a:8443"},
	} {
		for i, d := range []*mapping.Dialect{tribe.Dialect, mapping.Neutral} {
			site, part := d.SplitRoot(root)
			if site != want[i] || site+part != root {
				t.Errorf("%s, %s: %s and %s, want %s", d.Namespace, root, site, part, want[i])
			}
		}
	}
}

// prefixRewriter is for a site in a directory, with another prefix of its REST interface, images in
// another directory, and pages that are shown at another URL.
func prefixRewriter() *Rewriter {
	return New(mapping.API{Dialect: tribe.Dialect, LanguageParam: "lang"}, []RootURLs{
		{Language: "en", Upstream: "https://legacy.example/blog/api", Public: "https://api.example"},
		{Language: "es", Upstream: "https://legacy.example/blog/es/api", Public: "https://api.example/es"},
	}, Spellings{Aliases: []string{"https://www.legacy.example/blog"}, Pages: "https://new.example/site",
		WordPress: "https://legacy.example/core"})
}

// TestRewritePrefix: another prefix is recognized at its place in the URL alone, since it is a word
// that the path of a page may contain.
func TestRewritePrefix(t *testing.T) {
	for link, want := range map[string]string{
		"https://legacy.example/blog/api/tribe/events/v1/events/5":              `"https://api.example/calendar/events/v1/events/5"`,
		"https://legacy.example/blog/es/api/tribe/events/v1/events/?a=b":        `"https://api.example/es/calendar/events/v1/events/?a=b"`,
		"https://legacy.example/blog/es/index.php/api/tribe/events/v1":          `"https://api.example/es/calendar/events/v1"`,
		"HTTPS://WWW.legacy.example/blog/es/API/tribe/events/v1":                `"https://api.example/es/calendar/events/v1"`,
		"https://legacy.example/blog/es/wp-json/tribe/events/v1":                `"https://api.example/es/calendar/events/v1"`,
		"https://legacy.example/blog/es/?rest_route=/tribe/events/v1":           `"https://api.example/es/calendar/events/v1"`,
		"https://legacy.example/blog/api/wp/v2/users":                           `null`,
		"https://legacy.example/blog/api":                                       `null`,
		"https://legacy.example/blog/apis/tribe/events/v1":                      `"https://legacy.example/blog/apis/tribe/events/v1"`,
		"https://legacy.example/blog/event/api/":                                `"https://legacy.example/blog/event/api/"`,
		"https://legacy.example/api/tribe/events/v1":                            `"https://legacy.example/api/tribe/events/v1"`,
		"https://legacy.example/core/index.php?rest_route=/tribe/events/v1&a=b": `"https://api.example/es/calendar/events/v1?a=b"`,
	} {
		if diff := cmp.Diff(`{"x":`+want+`}`, rewrite(t, prefixRewriter(), "venues.read", "", http.StatusOK,
			`{"x":"`+link+`"}`)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", link, diff)
		}
	}
	body := `{"rest_url":"https://elsewhere.example/api/tribe/events/v1/events/5"}`
	want := `{"rest_url":"https://api.example/es/calendar/events/v1/events/5"}`
	if diff := cmp.Diff(want, rewrite(t, prefixRewriter(), "events.read", "", http.StatusOK, body)); diff != "" {
		t.Errorf("at a host that nobody configured (-want +got):\n%s", diff)
	}
}

// TestRewritePlainPages: on a site with plain permalinks, links to pages that are shown at another
// URL lose the vendor's name; other links still lead to the page.
func TestRewritePlainPages(t *testing.T) {
	for link, want := range map[string]string{
		"?tribe_events=fair":                           "?calendar_events=fair",
		"es/?tribe_venue=hall":                         "es/?calendar_venue=hall",
		"?lang=es&tribe_organizer=friends":             "?lang=es&calendar_organizer=friends",
		"?tribe_events_cat=music&#038;lang=es":         "?calendar_events_cat=music&#038;lang=es",
		"?post_type=tribe_events&p=5&lang=es":          "?p=5&lang=es",
		"?tag=tribe_events":                            "?tag=tribe_events",
		"wp-content/tribe_events.jpg":                  "wp-content/tribe_events.jpg",
		"index.php?tribe_events=a&tribe_events_cat=b#": "index.php?calendar_events=a&calendar_events_cat=b#",
	} {
		got := rewrite(t, prefixRewriter(), "events.read", "", http.StatusOK, `{"url":"https://legacy.example/blog/`+link+`"}`)
		if diff := cmp.Diff(`{"url":"https://new.example/site/`+want+`"}`, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", link, diff)
		}
	}
	const stays = `{"url":"https://legacy.example/blog/?tribe_events=fair"}`
	if diff := cmp.Diff(stays, rewrite(t, testRewriter(""), "events.read", "", http.StatusOK, stays)); diff != "" {
		t.Errorf("where pages stay (-want +got):\n%s", diff)
	}
}

// TestImagesOfWordPress: images of a WordPress in another directory than its site are shown below
// the URL of pages, and are translated back.
func TestImagesOfWordPress(t *testing.T) {
	const image, rewritten = "https://legacy.example/core/wp-content/uploads/a.jpg", "https://new.example/site/wp-content/uploads/a.jpg"
	for root := range 2 {
		out := prefixRewriter().page([]byte(image), prefixRewriter().neutral)
		back, _ := prefixRewriter().fromPage(rewritten, root)
		if string(out.head)+string(out.tail) != rewritten || back != image {
			t.Errorf("%s%s, and back %s", out.head, out.tail, back)
		}
	}
	directory := New(mapping.API{Dialect: tribe.Dialect}, []RootURLs{{Language: "en", Upstream: "https://legacy.example/wp-json",
		Public: "https://api.example"}},
		Spellings{Pages: "https://new.example", WordPress: "https://legacy.example/core"})
	if back, _ := directory.fromPage("https://new.example/core/wp-content/uploads/a.jpg", 0); back != image {
		t.Errorf("in a directory of the site: %s, want %s", back, image)
	}
}
