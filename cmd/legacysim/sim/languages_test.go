package sim

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
)

func TestLanguagesAreApart(t *testing.T) {
	c := newClient(t)
	for _, lang := range languages() {
		root := lang.prefix + api
		if total := c.total(root + "/events?starts_after=2000-01-01"); total < 15 {
			t.Errorf("%s: only %d events", lang.code, total)
		}
		for _, second := range languages() {
			id := record(c.get(second.prefix + api + "/events?per_page=1")["events"].([]any)[0].(map[string]any)).id()
			want := 404
			if lang == second {
				want = 200
			}
			if got := c.do("GET", root+"/events/"+id, "", nil).Code; got != want {
				t.Errorf("%s asked for an event of %s: %d", lang.code, second.code, got)
			}
		}
		if got := c.send(404, "GET", root+"/events?page=999", "")["message"]; got != lang.Messages[404] || got == "" {
			t.Errorf("%s: %v", lang.code, got)
		}
		if got := c.get(lang.prefix + "/wp-json/"); got["home"] != "http://legacy.test"+lang.prefix ||
			got["timezone_string"] != lang.zone.String() {
			t.Errorf("%s: home %v, zone %v", lang.code, got["home"], got["timezone_string"])
		}
		start := c.do("GET", lang.prefix+"/", "", nil)
		if link := headerOf(start, "Link")[0]; link != "<http://legacy.test"+lang.prefix+`/wp-json/>; rel="https://api.w.org/"` ||
			!strings.Contains(start.Body.String(), `hreflang="fr" href="http://legacy.test/fr/"`) {
			t.Errorf("%s: Link %s, %s", lang.code, link, start.Body)
		}
		e := c.get(root + "/events/by-slug/" + slugify(seedOf(lang.code).Special["selftitle"]))
		for _, key := range []string{"title", "description", "excerpt", "website"} {
			if !strings.Contains(e[key].(string), "tribe/events/v1") {
				t.Errorf("%s: %s = %v", lang.code, key, e[key])
			}
		}
	}
	if diff := cmp.Diff(c.get(api+"/events"), c.get(api+"/events?wpml_language=de")); diff != "" {
		t.Errorf("wpml_language selects a language (-want +got):\n%s", diff)
	}
}

const modeHost = "http://legacy.example"

// newModeClient is a client of a site with that mode.
func newModeClient(t *testing.T, mode LanguageMode) *client {
	t.Helper()
	return &client{t: t, site: New(Options{Clock: func() time.Time { return testNow }, Site: modeHost, Languages: mode})}
}

// languagesOf returns the languages of listed items by their pages, sorted.
func languagesOf(list record, key string) string {
	var codes []string
	for _, link := range list.column(key, "url") {
		code := "en"
		for _, lang := range languages()[1:] {
			if strings.HasPrefix(link.(string), modeHost+lang.prefix+"/") {
				code = lang.code
			}
		}
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return strings.Join(slices.Compact(codes), " ")
}

// TestLanguageModes: which items are listed at a root, as recorded of Polylang (polylang/mixed, polylang/es/glue-*) and
// TranslatePress, and as the source of WPML has it.
func TestLanguageModes(t *testing.T) {
	for _, test := range []struct {
		mode             LanguageMode
		path, key, codes string // of a list without its page size, of the listed items
	}{
		{Mixed, "/events", "events", "de en es fr"}, {Mixed, "/events?lang=es", "events", "de en es fr"},
		{Mixed, "/categories?lang=es", "categories", "es"}, {Mixed, "/tags", "tags", "de en es fr"},
		{ByParameter, "/events?lang=es", "events", "es"}, {ByParameter, "/events?lang=xx", "events", "en"},
		{ByParameter, "/events", "events", "de en es fr"}, {ByParameter, "/venues?lang=DE", "venues", "de"},
		{Fallback, "/events", "events", "en"}, {Fallback, "es/events", "events", "en es"}, {Fallback, "fr/tags", "tags", "en fr"},
		{OneID, "/events", "events", "en"}, {OneID, "es/events", "events", "es"}, {OneID, "es/tags", "tags", "es"},
	} {
		root, path, _ := strings.Cut(test.path, "/")
		query := "&per_page=50&hide_empty=false&starts_after=2026-12-01"
		target := "/" + strings.TrimPrefix(root+api+"/"+path, "/")
		if !strings.Contains(path, "?") {
			target += "?"
		}
		c := newModeClient(t, test.mode)
		codes := map[string]bool{}
		for page := 1; ; page++ {
			list := c.get(target + query + "&page=" + itoa(page))
			for code := range strings.FieldsSeq(languagesOf(list, test.key)) {
				codes[code] = true
			}
			if float64(page) >= list["total_pages"].(float64) {
				break
			}
		}
		for code := range strings.FieldsSeq(test.codes) {
			if !codes[code] {
				t.Errorf("%s %s: nothing of %s", test.mode, test.path, code)
			}
		}
		if len(codes) != len(strings.Fields(test.codes)) {
			t.Errorf("%s %s: items of %v, want %s", test.mode, test.path, codes, test.codes)
		}
	}
}

// TestWrittenLanguage: a new item has the language of the request (recordings polylang/es/create-lang,
// polylang/mixed/create-lang-in-body, create-lang-unknown).
func TestWrittenLanguage(t *testing.T) {
	const event = `{"title":"Made","start_date":"2027-03-01 10:00:00","end_date":"2027-03-01 11:00:00"`
	for _, test := range []struct{ path, body, code string }{
		{"?lang=es", "", "es"}, {"?lang=xx", "", "en"}, {"", "", "en"}, {"?lang=DE", "", "de"}, {"", `,"lang":"fr"`, "fr"},
	} {
		created := newModeClient(t, Mixed).signedIn("admin").send(201, "POST", api+"/events"+test.path, event+test.body+"}")
		if got := languagesOf(record{"events": []any{map[string]any(created)}}, "events"); got != test.code {
			t.Errorf("%q %s: %v", test.path, test.body, created["url"])
		}
	}
}

// TestTranslate: an item that refers to another shows its translation in the other language, and is found by either.
func TestTranslate(t *testing.T) {
	c := newModeClient(t, Fallback).signedIn("admin")
	venue := c.send(201, "POST", api+"/venues", `{"venue":"Pier Ninety"}`).id()
	event := c.send(201, "POST", "/es"+api+"/events",
		`{"title":"Noventa","start_date":"2027-03-01 10:00:00","end_date":"2027-03-01 11:00:00","venue":`+venue+`}`).id()
	translation := c.send(201, "POST", "/es"+api+"/venues", `{"venue":"Muelle Noventa"}`).id()
	c.site.Translate(atoi(translation), atoi(venue))
	for root, want := range map[string]string{"": "Pier Ninety", "/es": "Muelle Noventa"} {
		if got := c.get(root + api + "/events/" + event)["venue"].(map[string]any)["venue"]; got != want {
			t.Errorf("%s: %v, want %s", root, got, want)
		}
	}
	if ids := c.get("/es"+api+"/events?venue="+translation).column("events", "id"); !slices.Contains(ids, any(float64(atoi(event)))) {
		t.Errorf("events at the translation: %v", ids)
	}
}

// TestNeutral: the neutral stand-in differs from the legacy by its names.
func TestNeutral(t *testing.T) {
	site := newClient(t).site
	for path, test := range map[string]struct {
		status int
		text   string
	}{
		"/wp-json/calendar/events/v1/categories?i18n_language=es": {200, `"taxonomy":"calendar_events_cat"`},
		"/wp-json/calendar/events/v1/events?i18n_language=xx":     {400, `"i18n_language":"i18n_language`},
		"/wp-json/calendar/events/v1/doc":                         {404, "rest_no_route"},
		"/wp-json/calendar/events/v1":                             {404, "rest_no_route"},
		"/wp-json/calendar/events/v10/events":                     {404, "rest_no_route"},
		api + "/events":                                           {404, "rest_no_route"},
		"/wp-json/":                                               {200, strings.ReplaceAll(mapping.Namespace, "/", `\/`)},
	} {
		rec := httptest.NewRecorder()
		site.Neutral().ServeHTTP(rec, httptest.NewRequest("GET", "http://new.test"+path, nil))
		if rec.Code != test.status || !strings.Contains(rec.Body.String(), test.text) || headerOf(rec, "X-TEC-Total") != nil {
			t.Errorf("%s: %d %v %.300s", path, rec.Code, rec.Header(), rec.Body)
		}
	}
}
