package rewrite

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// TestRewriteSpellings: a link of an attribute that the table does not know is found by its
// spelling alone. The recordings of plain/fr have rest_route in both forms, the recordings of
// translatepress/en the directory of the default language; the others are as other
// plugins, web servers and encoders of JSON write URLs.
func TestRewriteSpellings(t *testing.T) {
	const es = "https://api.example/es/calendar/events/v1"
	for _, test := range []struct{ link, want string }{
		{`https://legacy.example/blog/es/wp-json/tribe/events/v1/events/5`, es + `/events/5`},
		{`HTTPS://LEGACY.example/blog/ES/WP-JSON/Tribe/Events/V1/events/5`, es + `/events/5`},
		{`//legacy.example/blog/es/wp-json/tribe/events/v1/events/5`, es + `/events/5`},
		{`\/\/legacy.example\/blog\/es\/wp-json\/tribe\/events\/v1`, strings.ReplaceAll(es, "/", `\/`)},
		{`https://legacy.example:443/blog/es/wp-json/tribe/events/v1/events/5`, es + `/events/5`},
		{`http://legacy.example:80/blog/es/wp-json/tribe/events/v1/events/5`, es + `/events/5`},
		{`http://legacy.example:8080/blog/es/wp-json/tribe/events/v1/events/5`,
			`http://legacy.example:8080/blog/es/wp-json/tribe/events/v1/events/5`},
		{`https://legacy.example/blog/es/index.php/wp-json/tribe/events/v1/events/5`, es + `/events/5`},
		{`https://legacy.example/blog/es/index.php?rest_route=/tribe/events/v1/events/5`, es + `/events/5`},
		{`https://legacy.example/blog/es/?rest_route=/tribe/events/v1/events/5`, es + `/events/5`},
		{`https://legacy.example/blog/es?rest_route=/tribe/events/v1/events/5`, es + `/events/5`},
		{`https://legacy.example/blog/es/index.php?rest_route=%2Ftribe%2Fevents%2Fv1%2Fevents%2F&page=2&per_page=5`,
			es + `/events/?page=2&per_page=5`},
		{`https://legacy.example/blog/es/?a=b&rest_route=%2ftribe%2fevents%2fv1%2fevents%2f5&wpml_language=es`,
			es + `/events/5?a=b&i18n_language=es`},
		{`https://legacy.example/blog/es/index.php?rest_route=%2Ftribe%2Fevents%2Fv1%2Fevents%2Fby-slug%2Fa%22b`, es +
			`/events/by-slug/a%22b`},
		{`https:\u002f\u002Flegacy.example\u002fblog\u002fes\u002fwp-json\u002ftribe\u002fevents\u002fv1?a=1\u0026b=\u00e9`,
			strings.ReplaceAll(es, "/", `\/`) + `?a=1&b=\u00e9`},
		{`\u0068ttps://legacy.example/blog/es/wp-json/tribe/events/v1`, es},
		{`https://legacy.example/blog/en/wp-json/tribe/events/v1/events/5`, `https://api.example/calendar/events/v1/events/5`},
		{`https://www.legacy.example/blog/en/wp-json/tribe/events/v1/events/5`, `https://api.example/calendar/events/v1/events/5`},
		{`https://legacy.example/blog/fr/wp-json/tribe/events/v1/events/5`, es +
			`/events/5`}, // French has no root; see [Rewriter.restLink]
		{`https://legacy.example/elsewhere/wp-json/tribe/events/v1/events/5`,
			`https://legacy.example/elsewhere/wp-json/tribe/events/v1/events/5`},
		{`https://legacy.example/blog/es/?rest_route=/wp/v2/users`, ``},
		{`https://legacy.example/blog/es/?p=5&not_rest_route=/tribe/events/v1`,
			`https://legacy.example/blog/es/?p=5&not_rest_route=/tribe/events/v1`},
		{`\\/\\/legacy.example/blog/es/wp-json/tribe/events/v1`, `\\/\\/legacy.example/blog/es/wp-json/tribe/events/v1`},
	} {
		want := `"` + test.want + `"`
		if test.want == "" {
			want = "null"
		}
		if diff := cmp.Diff(`{"x":`+want+`}`, rewrite(t, testRewriter(""), "events.read", "", http.StatusOK,
			`{"x":"`+test.link+`"}`)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.link, diff)
		}
	}
}

// TestRewriteUnknownHost: an unmistakable REST link is rewritten at any host, in any
// spelling.
func TestRewriteUnknownHost(t *testing.T) {
	for link, want := range map[string]string{
		`http://10.0.0.1/index.php?rest_route=%2Ftribe%2Fevents%2Fv1%2Fevents%2F5`: `"https://api.example/es/calendar/events/v1/events/5"`,
		`//10.0.0.1/tribe/events/v1/events/5`:                                      `"https://api.example/es/calendar/events/v1/events/5"`,
		`http://10.0.0.1/?rest_route=/wp/v2/tribe/events/v1`:                       `null`,
	} {
		if diff := cmp.Diff(`{"rest_url":`+want+`}`, rewrite(t, testRewriter(""), "events.read", "", http.StatusOK,
			`{"rest_url":"`+link+`"}`)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", link, diff)
		}
	}
}

// sharedRewriter is for a site with one REST root for all languages: English and
// Spanish share a root of the facade, German has its own.
func sharedRewriter() *Rewriter {
	const upstream = "https://legacy.example/wp-json"
	return New(mapping.API{Dialect: tribe.Dialect, LanguageParam: "lang"}, []RootURLs{
		{Language: "en", Upstream: upstream, Public: "https://api.example"},
		{Language: "es", Upstream: upstream, Public: "https://api.example"},
		{Language: "de", Upstream: upstream, Public: "https://api.example/de"},
	}, Spellings{})
}

// TestRewriteNamesLanguage: links name the language if the root alone would respond in
// another one.
func TestRewriteNamesLanguage(t *testing.T) {
	const (
		upstream = `https:\/\/legacy.example\/wp-json\/tribe\/events\/v1`
		public   = `https:\/\/api.example\/calendar\/events\/v1`
	)
	item := `{"id":5,"rest_url":"` + upstream + `\/events\/5","tags":[{"urls":{"self":"` + upstream + `\/tags\/1","collection":"` + upstream +
		`\/tags\/?page=2","up":"` + upstream + `\/tags\/?lang=en"}}],"x":"` + upstream + `\/y"}`
	want := func(base, path, query string) string {
		return strings.NewReplacer("BASE", base, "PATH", path, "QUERY", query).Replace(
			`{"id":5,"rest_url":"BASE\/events\/5PATH","tags":[{"urls":{"self":"BASE\/tags\/1PATH",` +
				`"collection":"BASE\/tags\/?page=2QUERY","up":"BASE\/tags\/?i18n_language=en"}}],"x":"BASE\/yPATH"}`)
	}
	for _, test := range []struct {
		name, language string
		root           int
		want           string
	}{
		{"the first of a root", "", 0, want(public, "", "")},
		{"the second", "", 1, want(public, "?i18n_language=es", "&i18n_language=es")},
		{"alone at its root", "", 2, want(strings.Replace(public, "example", `example\/de`, 1), "", "")},
		{"the second, named", "es", 1, want(public, "?i18n_language=es", "&i18n_language=es")},
		{"without a root of its own", "fr", 0, want(public, "?i18n_language=fr", "&i18n_language=fr")},
	} {
		call := &mapping.Call{Endpoint: mappingtest.Row(t, "events.read"), Method: http.MethodGet, Item: "5", Language: test.language}
		got, err := sharedRewriter().Rewrite(t.Context(), call, test.root, http.StatusOK, []byte(item))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, string(got.Body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestPagingNamesLanguage: so do the links of lists, in the order of a normalized query, and
// the header fields.
func TestPagingNamesLanguage(t *testing.T) {
	const list = "https://api.example/calendar/events/v1/events/?"
	query := func(n string) string {
		return list + "featured=true&i18n_language=es&page=" + n + "&per_page=10&search=x"
	}
	for _, test := range []struct{ name, query string }{
		{"at the root", "page=2&search=x&featured=1"},
		{"named", "page=2&search=x&featured=1&i18n_language=es"},
	} {
		call, err := mappingtest.ParseQuery(t, "events.list", test.query)
		if err != nil {
			t.Fatal(err)
		}
		canonical := call.Canonical()
		got, err := sharedRewriter().Rewrite(t.Context(), call, 1, http.StatusOK,
			[]byte(`{"events":[],"rest_url":"a","next_rest_url":"b","previous_rest_url":"c"}`))
		if err != nil {
			t.Fatal(err)
		}
		want := `{"events":[],"rest_url":"` + query("2") + `","next_rest_url":"` + query("3") + `","previous_rest_url":"` +
			query("1") + `"}`
		if diff := cmp.Diff(want, string(got.Body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		h := sharedRewriter().Headers(call, 1, http.StatusOK, http.Header{"X-Tec-Total": {"25"}, "X-Tec-Totalpages": {"3"}}, Result{})
		if diff := cmp.Diff("<"+query("3")+`>; rel="next", <`+query("1")+`>; rel="prev"`, h.Get("Link")); diff != "" {
			t.Errorf("%s: Link (-want +got):\n%s", test.name, diff)
		}
		if call.Canonical() != canonical {
			t.Errorf("%s: the call has become %s", test.name, call.Canonical())
		}
	}
	create := &mapping.Call{Endpoint: mappingtest.Row(t, "events.create"), Method: http.MethodPost}
	h := sharedRewriter().Headers(create, 1, http.StatusCreated, http.Header{}, Result{ID: "7"})
	if got, want := h.Get("Location"), "https://api.example/calendar/events/v1/events/7?i18n_language=es"; got != want {
		t.Errorf("Location %s, want %s", got, want)
	}
}

// TestRewriteAliases: an alias of a language is an alias of its root, with or without the
// directory of the language, and of no other root.
func TestRewriteAliases(t *testing.T) {
	roots := []RootURLs{
		{Language: "en", Upstream: "https://example.org/wp-json", Public: "https://api.example"},
		{Language: "es", Upstream: "https://ejemplo.org/wp-json", Public: "https://api.example/es",
			Aliases: []string{"http://www.ejemplo.org"}},
		{Language: "de", Upstream: "https://example.org/de/wp-json", Public: "https://api.example/de",
			Aliases: []string{"https://beispiel.org/de/", "https://cdn.example.org"}},
	}
	r := New(mapping.API{Dialect: tribe.Dialect}, roots, Spellings{Aliases: []string{"https://www.example.org"},
		Pages: "https://pages.example"})
	for link, want := range map[string]string{
		"https://www.ejemplo.org/wp-json/tribe/events/v1/tags/5":     "https://api.example/es/calendar/events/v1/tags/5",
		"https://www.ejemplo.org/?rest_route=/tribe/events/v1/tags":  "https://api.example/es/calendar/events/v1/tags",
		"https://www.example.org/wp-json/tribe/events/v1/tags/5":     "https://api.example/calendar/events/v1/tags/5",
		"https://www.example.org/de/wp-json/tribe/events/v1/tags/5":  "https://api.example/de/calendar/events/v1/tags/5",
		"https://beispiel.org/de/wp-json/tribe/events/v1/tags/5":     "https://api.example/de/calendar/events/v1/tags/5",
		"https://cdn.example.org/de/wp-json/tribe/events/v1/tags/5":  "https://api.example/de/calendar/events/v1/tags/5",
		"https://other.example.org/wp-json/tribe/events/v1/tags/5":   "https://other.example.org/wp-json/tribe/events/v1/tags/5",
		"https://www.ejemplo.org/es/wp-json/tribe/events/v1/tags/5":  "https://api.example/es/calendar/events/v1/tags/5",
		"https://www.ejemplo.org.evil/wp-json/tribe/events/v1/tags/": "https://www.ejemplo.org.evil/wp-json/tribe/events/v1/tags/",
	} {
		call := &mapping.Call{Endpoint: mappingtest.Row(t, "events.read"), Method: http.MethodGet}
		for root := range roots { // whichever answers
			got, err := r.Rewrite(t.Context(), call, root, http.StatusOK, []byte(`{"x":"`+link+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(`{"x":"`+want+`"}`, string(got.Body)); diff != "" {
				t.Errorf("%s, answered by %d (-want +got):\n%s", link, root, diff)
			}
		}
	}
	body := `{"url":"http://www.ejemplo.org/evento/x/","image":{"url":"https://beispiel.org/x.jpg"}}`
	want := `{"url":"https://pages.example/evento/x/","image":{"url":"https://pages.example/x.jpg"}}`
	if diff := cmp.Diff(want, rewrite(t, r, "events.read", "", http.StatusOK, body)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

// TestRewriteAlikeLinks: the walker remembers the beginning of a link for the next one, also in
// the spelling of plain permalinks.
func TestRewriteAlikeLinks(t *testing.T) {
	const upstream, public = `https:\/\/legacy.example\/blog\/es\/index.php?rest_route=\/tribe\/events\/v1`,
		`https:\/\/api.example\/es\/calendar\/events\/v1`
	for suffix, want := range map[string]string{
		`\/events\/7`:                    `"` + public + `\/events\/7"`,
		`\/events\/&page=2`:              `"` + public + `\/events\/?page=2"`,
		`\/events\/7&wpml_language=es`:   `"` + public + `\/events\/7?i18n_language=es"`,
		`\/events\/7\u0026page=2`:        `"` + public + `\/events\/7?page=2"`,
		`%2Fevents%2F7`:                  `"` + public + `\/events\/7"`,
		`0\/events\/7`:                   `null`,
		`\/events\/7&rest_route=\/wp\/v`: `null`,
	} {
		body := `{"rest_url":"` + upstream + `\/events\/5","categories":[{"urls":{"self":"` + upstream + suffix +
			`","up":"` + upstream + `\/x"}}]}`
		want := `{"rest_url":"` + public + `\/events\/5","categories":[{"urls":{"self":` + want + `,"up":"` + public + `\/x"}}]}`
		if diff := cmp.Diff(want, rewrite(t, testRewriter(""), "events.read", "", http.StatusOK, body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", suffix, diff)
		}
	}
}

// TestRewriteAfterAQuery: a link with a query is not remembered, because its ending is its own.
func TestRewriteAfterAQuery(t *testing.T) {
	const upstream, public = "https://legacy.example/wp-json/tribe/events/v1", "https://api.example/calendar/events/v1"
	call := &mapping.Call{Endpoint: mappingtest.Row(t, "events.read"), Method: http.MethodGet}
	got, err := sharedRewriter().Rewrite(t.Context(), call, 1, http.StatusOK,
		[]byte(`{"rest_url":"`+upstream+`/tags?page=2","tags":[{"urls":{"self":"`+upstream+`/tags/1"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"rest_url":"` + public + `/tags?page=2&i18n_language=es","tags":[{"urls":{"self":"` + public + `/tags/1?i18n_language=es"}}]}`
	if diff := cmp.Diff(want, string(got.Body)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNaming(t *testing.T) {
	roots := []RootURLs{{Language: "en", Public: "a"}, {Language: "es", Public: "b"}, {Language: "de", Public: "b"}}
	var got []string
	for i := range roots {
		for _, code := range []string{"", "en", "es", "de", "fr"} {
			got = append(got, strings.TrimPrefix(Naming(roots, i, code), "?i18n_language="))
		}
	}
	want := slices.Concat([]string{"", "", "es", "de", "fr"}, []string{"", "en", "", "de", "fr"}, []string{"", "en", "", "de", "fr"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
