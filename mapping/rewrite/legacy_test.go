package rewrite

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// legacyNamesRewriter is testRewriter with clients of the legacy's names.
func legacyNamesRewriter(pages string) *Rewriter {
	r := testRewriter(pages)
	return New(r.backend, r.roots, Spellings{
		Aliases: []string{"https://www.legacy.example/blog"}, Pages: pages, Legacy: &LegacyNames{API: r.backend},
	})
}

func legacyForm(t testing.TB, r *Rewriter, row, query string, status int, body string) string {
	t.Helper()
	call, err := mappingtest.ParseQuery(t, row, query)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Rewrite(t.Context(), inLegacyNames(call), 1, status, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return string(got.Body)
}

// inLegacyNames returns a call as a client makes it that speaks the legacy's names.
func inLegacyNames(c *mapping.Call) *mapping.Call {
	old := *c
	old.InLegacyNames = true
	return &old
}

// TestLegacyForm: a response of the legacy does not change, except for the targets of links to the
// namespace and to pages.
func TestLegacyForm(t *testing.T) {
	const api, public = `https:\/\/legacy.example\/blog\/es\/wp-json\/tribe\/events\/v1`, `https:\/\/api.example\/es\/tribe\/events\/v1`
	for _, test := range []struct {
		name, pages, row string
		status           int
		body, want       string
	}{
		{"links", "", "events.read", 200,
			`{"rest_url":"` + api + `\/events\/5","categories":[{"taxonomy":"tribe_events_cat","urls":{"self":"` + api +
				`\/categories\/5","collection":"` + api + `\/categories?lang=es"}}]}`,
			`{"rest_url":"` + public + `\/events\/5","categories":[{"taxonomy":"tribe_events_cat","urls":{"self":"` + public +
				`\/categories\/5","collection":"` + public + `\/categories?lang=es"}}]}`},
		{"links out of the namespace", "", "categories.read", 200,
			`{"a":"https://legacy.example/blog/wp-json/wp/v2/users",` +
				`"_links":{"self":[{"href":"https://legacy.example/blog/wp-json/wp/v2/tribe_events_cat/5"}],` +
				`"up":[{"href":"` + api + `"}]}}`,
			`{"a":"https://legacy.example/blog/wp-json/wp/v2/users",` +
				`"_links":{"self":[{"href":"https://legacy.example/blog/wp-json/wp/v2/tribe_events_cat/5"}],` +
				`"up":[{"href":"` + public + `"}]}}`},
		{"pages that stay", "", "events.read", 200,
			`{"url":"https://legacy.example/blog/?post_type=tribe_events&p=5",` +
				`"website":"https://legacy.example/blog/?post_type=tribe_events&amp;p=5"}`,
			`{"url":"https://legacy.example/blog/?post_type=tribe_events&p=5",` +
				`"website":"https://legacy.example/blog/?post_type=tribe_events&amp;p=5"}`},
		{"pages that are shown elsewhere", "https://new.example", "events.read", 200,
			`{"url":"https://legacy.example/blog/?tribe_events=fair","website":"https://legacy.example/blog/?tribe_events=fair",` +
				`"description":"https://legacy.example/blog/"}`,
			`{"url":"https://new.example/?tribe_events=fair","website":"https://new.example/?tribe_events=fair",` +
				`"description":"https://legacy.example/blog/"}`},
		{"an error", "", "events.read", 404,
			`{"code":"x","message":"See ` + api +
				`\/events, wpml_language and tribe\/events\/v1.","data":{"params":{"wpml_language":"x"}}}`,
			`{"code":"x","message":"See ` + public +
				`\/events, wpml_language and tribe\/events\/v1.","data":{"params":{"wpml_language":"x"}}}`},
		{"a list", "", "events.list", 200,
			`{"events":[],"rest_url":"` + api + `\/events\/?start_date=2026-11-20 00:00:00","next_rest_url":"` + api +
				`\/events\/?page=2&wpml_language=es","total":1}`,
			`{"events":[],"rest_url":"` + public + `\/events\/?start_date=2026-11-20 00:00:00","next_rest_url":"` + public +
				`\/events\/?page=2&wpml_language=es","total":1}`},
	} {
		if diff := cmp.Diff(test.want, legacyForm(t, legacyNamesRewriter(test.pages), test.row, "", test.status, test.body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestLegacyFormOfAnother: a response of a backend with other names gets the names of the legacy.
func TestLegacyFormOfAnother(t *testing.T) {
	legacy := &LegacyNames{API: mapping.API{Dialect: tribe.Dialect, LanguageParam: "lang",
		Languages: map[string]string{"es": "es_ES"}}}
	roots := []RootURLs{
		{Language: "en", Upstream: "https://new.example/wp-json", Public: "https://api.example"},
		{Language: "es", Upstream: "https://new.example/es/wp-json", Public: "https://api.example"},
	}
	const base, public = "https://new.example/es/wp-json/calendar/events/v1", "https://api.example/tribe/events/v1"
	for _, test := range []struct {
		name, row, query string
		status           int
		body, want       string
	}{
		{"an item", "events.read", "", 200,
			`{"rest_url":"` + base +
				`/events/5","url":"https://new.example/event/5","categories":[{"taxonomy":"calendar_events_cat","urls":{"self":"` + base +
				`/categories/5","up":"` + base + `/categories/6"}}],"tags":[{"taxonomy":"post_tag"}]}`,
			`{"rest_url":"` + public +
				`/events/5?lang=es_ES","url":"https://new.example/event/5",` +
				`"categories":[{"taxonomy":"tribe_events_cat","urls":{"self":"` + public +
				`/categories/5?lang=es_ES","up":"` + public + `/categories/6?lang=es_ES"}}],"tags":[{"taxonomy":"post_tag"}]}`},
		{"attributes of a plugin", "events.read", "", 200,
			`{"site":"https:\/\/elsewhere.example\/a?b","note":"here","self":"` + base +
				`/events/5","up":"https://new.example/es/wp-json"}`,
			`{"site":"https:\/\/elsewhere.example\/a?b","note":"here","self":"` + public + `/events/5?lang=es_ES","up":null}`},
		{"a list", "events.list", "page=2&search=i18n_language%3D&featured=1", 200,
			`{"events":[],"rest_url":"x","next_rest_url":"y","total":30,"total_pages":3}`,
			`{"events":[],"rest_url":"` + public + `/events/?featured=true&lang=es_ES&page=2&per_page=10&search=i18n_language%3D",` +
				`"next_rest_url":"` + public + `/events/?featured=true&lang=es_ES&page=3&per_page=10&search=i18n_language%3D",` +
				`"total":30,"total_pages":3}`},
		{"an error", "events.read", "", 400,
			`{"code":"rest_invalid_param","message":"i18n_language: ` + base +
				`","data":{"params":{"i18n_language":"calendar/events/v1"}}}`,
			`{"code":"rest_invalid_param","message":"lang: ` + public + `?lang=es_ES","data":{"params":{"lang":"tribe/events/v1"}}}`},
	} {
		b := mapping.API{Dialect: mapping.Neutral, LanguageParam: mapping.Neutral.LanguageParam}
		if diff := cmp.Diff(test.want, legacyForm(t, New(b, roots, Spellings{Legacy: legacy}), test.row, test.query, test.status,
			test.body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
