package rewrite

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// directoryRewriter is for a site that has each language in a directory, including the default,
// and shows its pages at another URL.
func directoryRewriter() *Rewriter {
	return New(mapping.API{Dialect: tribe.Dialect, LanguageParam: "lang"}, []RootURLs{
		{Language: "en", Upstream: "http://legacy.example/blog/en/wp-json", Public: "https://api.example/en"},
		{Language: "es", Upstream: "https://legacy.example/blog/es/wp-json", Public: "https://api.example/es"},
	}, Spellings{Aliases: []string{"https://www.legacy.example/blog"}, Pages: "https://new.example/site"})
}

// TestRewriteDirectories: pages keep the directory of their language, so that two pages remain
// different. Links to images and drafts, which have no such directory, are rewritten, too.
func TestRewriteDirectories(t *testing.T) {
	for link, want := range map[string]string{
		"https://legacy.example/blog/en/event/x/":                                    "https://new.example/site/en/event/x/",
		"https://legacy.example/blog/es/event/x/":                                    "https://new.example/site/es/event/x/",
		"https://www.legacy.example/blog/es/event/x/":                                "https://new.example/site/es/event/x/",
		"HTTPS://legacy.example:443/blog/es/event/x/":                                "https://new.example/site/es/event/x/",
		"//legacy.example/blog/es/event/x/":                                          "https://new.example/site/es/event/x/",
		"https://legacy.example/blog/wp-content/uploads/a.jpg":                       "https://new.example/site/wp-content/uploads/a.jpg",
		"https://legacy.example/blog/?post_type=tribe_events&p=5":                    "https://new.example/site/?p=5",
		"https://legacy.example/blog/es/?post_type=tribe_events&p=5":                 "https://new.example/site/es/?p=5",
		"https://legacy.example/blogs/a.jpg":                                         "https://legacy.example/blogs/a.jpg",
		"https://cdn.example/blog/a.jpg":                                             "https://cdn.example/blog/a.jpg",
		`https:\u002f\u002flegacy.example\u002fblog\u002fes\u002f?p=5\u0026a=\u00e9`: `https:\/\/new.example\/site\/es\/?p=5&a=\u00e9`,
	} {
		if diff := cmp.Diff(`{"url":"`+want+`"}`, rewrite(t, directoryRewriter(), "events.read", "", http.StatusOK,
			`{"url":"`+link+`"}`)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", link, diff)
		}
	}
}

// TestRewriteDrafts: a link to a draft stays as it is, because the site has no other URL of the page. Where pages are shown
// elsewhere, the vendor's post type is removed, anywhere in the query, and nothing else is.
func TestRewriteDrafts(t *testing.T) {
	const site = "https://legacy.example/blog/"
	for link, want := range map[string]string{
		"?post_type=tribe_events&p=5":                    "?p=5",
		"?lang=es&post_type=tribe_events&p=5":            "?lang=es&p=5",
		"?p=5&post_type=tribe_venue":                     "?p=5",
		"?p=5&amp;post_type=tribe_events&amp;lang=es":    "?p=5&amp;lang=es",
		"?lang=es&#038;post_type=tribe_events&#038;p=5":  "?lang=es&#038;p=5",
		"index.php?a&post_type=tribe_organizer&p=5&":     "index.php?a&p=5",
		"?post_type=tribe_events":                        "",
		`?lang=es\u0026post_type\u003dtribe_events`:      "?lang=es",
		"?my_post_type=tribe_events&post_type=page":      "?my_post_type=tribe_events&post_type=page",
		"?p=5&post_type=post#tribe_events":               "?p=5&post_type=post#tribe_events",
		"?preview=true&post_type=tribe_events&p=5%2F/":   "?preview=true&p=5%2F/",
		"?preview=true&post_type=tribe_events&page_id=1": "?preview=true&page_id=1",
	} {
		body := `{"url":"` + site + link + `"}`
		want := `{"url":"https://pages.example/` + want + `"}`
		if diff := cmp.Diff(want, rewrite(t, testRewriter("https://pages.example"), "events.read", "", http.StatusOK, body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
		if diff := cmp.Diff(body, rewrite(t, testRewriter(""), "events.read", "", http.StatusOK, body)); diff != "" {
			t.Errorf("where pages stay (-want +got):\n%s", diff)
		}
	}
	body := `{"url":"http://10.0.0.1/?a=1&post_type=tribe_events&p=5"}`
	if diff := cmp.Diff(body, rewrite(t, testRewriter("https://pages.example"), "events.read", "", http.StatusOK, body)); diff != "" {
		t.Errorf("at a host that nobody configured (-want +got):\n%s", diff)
	}
}

// TestRewriteOwnWebsite: the item's own page is distinguished from a website that people entered,
// with any escapes in the two.
func TestRewriteOwnWebsite(t *testing.T) {
	const page = `https:\/\/legacy.example\/blog\/?post_type=tribe_events\u0026p=5`
	const other = `https://legacy.example/blog/?post_type=tribe_events\u0026p=51`
	const broken = `https://legacy.example/blog/?post_type=tribe_events\n&p=5`
	for website, want := range map[string]string{
		page: "",
		`https://legacy.example/blog/?post_type=tribe_events&amp;p=5`:                 "",
		`https:\u002f\u002flegacy.example/blog/?post_type=tribe_events\u0026#038;p=5`: "",
		other:  other,
		broken: broken,
	} {
		body := `{"url":"` + page + `","website":"` + website + `"}`
		want := `{"url":"` + page + `","website":"` + want + `"}`
		if diff := cmp.Diff(want, rewrite(t, testRewriter(""), "events.read", "", http.StatusOK, body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", website, diff)
		}
	}
}

// TestFromPages: a URL that responses show in another place is sent to the site in the site's own
// form, in any field of any item. Other texts do not change.
func TestFromPages(t *testing.T) {
	for _, test := range []struct{ endpoint, body, want string }{
		{"events.update", `{"image":"https://new.example/site/wp-content/a.jpg"}`, `{"image":"ROOT/wp-content/a.jpg"}`},
		{"venues.create", `{"venue":"x","image":"http://NEW.example:80/site/es/a%20b.jpg?x=1"}`,
			`{"venue":"x","image":"ROOT/es/a%20b.jpg?x=1"}`},
		{"organizers.update", `{"image":"https://new.example/sites/a.jpg"}`, `{"image":"https://new.example/sites/a.jpg"}`},
		{"events.update", `{"image":100}`, `{"image":"100"}`},
		{"events.update", `{"title":"https://new.example/site/a","website":"https://new.example/site/a"}`,
			`{"title":"https://new.example/site/a","website":"https://new.example/site/a"}`},
		{"events.update",
			`{"venue":{"venue":"x","image":"https://new.example/site/a.jpg"},"organizer":[7,{"organizer":"https://new.example/site/a",` +
				`"image":"https://new.example/site/b.jpg"}]}`,
			`{"venue":{"venue":"x","image":"ROOT/a.jpg"},"organizer":[7,{"organizer":"https://new.example/site/a","image":"ROOT/b.jpg"}]}`},
		{"events.update", `{"organizer":[7,{"id":8}],"tags":["https://new.example/site/a"]}`,
			`{"tags":["https://new.example/site/a"],"organizer":[7,{"id":8}]}`},
	} {
		for root, site := range []string{"http://legacy.example/blog", "https://legacy.example/blog"} {
			call, err := mappingtest.ParseBody(t, test.endpoint, "5", "", test.body)
			if err != nil {
				t.Fatal(err)
			}
			original := sentBody(call)
			if diff := cmp.Diff(replaceRoot(test.want, site), sentBody(directoryRewriter().FromPages(call, root))); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", test.endpoint, test.body, diff)
			}
			if diff := cmp.Diff(original, sentBody(call)); diff != "" {
				t.Errorf("the call has changed (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(original, sentBody(testRewriter("").FromPages(call, root))); diff != "" {
				t.Errorf("where pages stay (-want +got):\n%s", diff)
			}
		}
	}
}

func sentBody(c *mapping.Call) string {
	return string(mapping.API{Dialect: mapping.Neutral}.Translate(c, "").Body)
}

func replaceRoot(s, root string) string { return strings.ReplaceAll(s, "ROOT", root) }

// TestPagesThereAndBack: the URL of every image of a site is the same after both translations.
func TestPagesThereAndBack(t *testing.T) {
	rewriters := []*Rewriter{directoryRewriter(), testRewriter("https://pages.example/"), testRewriter("https://pages.example/es")}
	for _, r := range rewriters {
		for root := range r.roots {
			for _, path := range []string{"/a.jpg", "/es/a.jpg", "/wp-content/uploads/2026/11/größe.jpg", "/a.php?b=c&d=e", ""} {
				url := r.roots[root].home + path
				out := r.page([]byte(url), r.neutral)
				text := string(out.head) + string(out.tail)
				if back, ok := r.fromPage(text, root); back != url || !ok || text == url {
					t.Errorf("%s becomes %s and then %s, %t", url, text, back, ok)
				}
			}
		}
	}
}
