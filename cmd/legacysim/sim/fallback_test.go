package sim

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// languagesOf counts the listed items by the language of their page.
func languagesOf(list record, key string) map[string]int {
	n := map[string]int{}
	for _, link := range list.column(key, "url") {
		code := "en"
		for _, lang := range languages()[1:] {
			if strings.HasPrefix(link.(string), recordedHost+lang.prefix+"/") {
				code = lang.code
			}
		}
		n[code]++
	}
	return n
}

// TestFallback: an item without translation is shown in the default language, and so is the
// venue of an event. An item is read below any directory.
func TestFallback(t *testing.T) {
	c := newModeClient(t, Fallback)
	list := c.get("/es" + api + "/events?starts_after=2000-01-01&per_page=50")
	if n := languagesOf(list, "events"); n["es"] == 0 || n["en"] == 0 || len(n) != 2 {
		t.Errorf("events below /es: %v", n)
	}
	if n := languagesOf(c.get(api+"/events?per_page=50"), "events"); len(n) != 1 || n["en"] == 0 {
		t.Errorf("events in the default language: %v", n)
	}
	admin := c.as("admin")
	venue := admin.send(201, "POST", api+"/venues", `{"venue":"Pier Ninety"}`).id()
	event := admin.send(201, "POST", "/es"+api+"/events",
		`{"title":"Noventa","start_date":"2027-03-01 10:00:00","end_date":"2027-03-01 11:00:00","venue":`+venue+`}`).id()
	shown := func() []string {
		var names []string
		for _, root := range []string{api, "/es" + api} {
			names = append(names, c.get(root + "/events/" + event)["venue"].(map[string]any)["venue"].(string))
		}
		return names
	}
	if diff := cmp.Diff([]string{"Pier Ninety", "Pier Ninety"}, shown()); diff != "" {
		t.Errorf("before the translation (-want +got):\n%s", diff)
	}
	translation := admin.send(201, "POST", "/es"+api+"/venues", `{"venue":"Muelle Noventa"}`).id()
	c.site.Translate(atoi(translation), atoi(venue))
	if diff := cmp.Diff([]string{"Pier Ninety", "Muelle Noventa"}, shown()); diff != "" {
		t.Errorf("with the translation (-want +got):\n%s", diff)
	}
	if ids := c.get("/es"+api+"/events?venue="+translation).column("events", "id"); !slices.Contains(ids, any(float64(atoi(event)))) {
		t.Errorf("events at the translation: %v", ids)
	}
}

// TestOneIDTranslated: below a directory titles are translated where the dictionary
// has them, and a text that is written there is everywhere (recordings translatepress/es/glue-*).
func TestOneIDTranslated(t *testing.T) {
	c := newModeClient(t, OneIDTranslated)
	title := func(root string) string {
		return c.get(root + api + "/events/" + c.roles()["103"])["title"].(string)
	}
	if en, es := title(""), title("/es"); en != seedOf("en").Special["sticky"] || es != seedOf("es").Special["sticky"] {
		t.Errorf("titles %q and %q", en, es)
	}
	c.as("admin").send(200, "PUT", "/es"+api+"/events/"+c.roles()["103"], `{"title":"Nuevo"}`)
	if en, es := title(""), title("/es"); en != "Nuevo" || es != "Nuevo" {
		t.Errorf("titles %q and %q", en, es)
	}
}

// TestWrittenLanguage: a new item has the language that was asked for (recordings
// polylang/es/create-lang, polylang/mixed/create-lang-in-body, create-lang-unknown).
func TestWrittenLanguage(t *testing.T) {
	c := newModeClient(t, Mixed).as("admin")
	for query, want := range map[string]string{"?lang=es": "es", "?lang=xx": "en", "": "en", "?lang=DE": "de"} {
		made := c.send(201, "POST", api+"/events"+query,
			`{"title":"Made","start_date":"2027-03-01 10:00:00","end_date":"2027-03-01 11:00:00"}`)
		if n := languagesOf(record{"events": []any{map[string]any(made)}}, "events"); n[want] != 1 {
			t.Errorf("%q: %v", query, made["url"])
		}
	}
	made := c.send(201, "POST", api+"/events", `{"title":"Made","lang":"fr","start_date":"2027-03-01 10:00:00",`+
		`"end_date":"2027-03-01 11:00:00"}`)
	if !strings.HasPrefix(made["url"].(string), recordedHost+"/fr/") {
		t.Errorf("in the body: %v", made["url"])
	}
}
