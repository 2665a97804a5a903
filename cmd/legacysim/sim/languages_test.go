package sim

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLanguagesAreApart(t *testing.T) {
	c := newClient(t)
	totals := map[string]int{}
	for _, lang := range languages() {
		root := lang.prefix + api
		totals[lang.code] = c.total(root + "/events?starts_after=2000-01-01")
		for _, other := range languages() {
			id := "/" + c.get(other.prefix + api + "/events?per_page=1")["events"].([]any)[0].(map[string]any)["rest_url"].(string)
			id = id[strings.LastIndex(id, "/"):]
			want := 404
			if lang == other {
				want = 200
			}
			if got := c.do("GET", root+"/events"+id, "", nil).Code; got != want {
				t.Errorf("%s asked for an event of %s: %d", lang.code, other.code, got)
			}
		}
		if got := c.do("GET", root+"/events?page=0", "", nil).Body.String(); !strings.Contains(got,
			strings.Trim(encodeJSON(lang.shared("error.invalid_parameter", nil), false), `"`)) {
			t.Errorf("%s: error in another language: %s", lang.code, got)
		}
		if got := c.get(lang.prefix + "/wp-json/"); got["home"] != "http://legacy.test"+lang.prefix ||
			got["timezone_string"] != lang.zone.String() {
			t.Errorf("%s: home %v, zone %v", lang.code, got["home"], got["timezone_string"])
		}
		if got := c.do("HEAD", lang.prefix+"/", "",
			nil).Header().Get("Link"); got != "<http://legacy.test"+lang.prefix+`/wp-json/>; rel="https://api.w.org/"` {
			t.Errorf("%s: Link %s", lang.code, got)
		}
	}
	if totals["en"] < 150 || totals["es"] < 15 || totals["de"] < 15 || totals["fr"] < 15 {
		t.Errorf("the seed is small: %v", totals)
	}
}

// TestLanguageParameterSelectsNothing: it is checked, and that is all.
func TestLanguageParameterSelectsNothing(t *testing.T) {
	c := newClient(t)
	if diff := cmp.Diff(c.get(api+"/events"), c.get(api+"/events?wpml_language=de")); diff != "" {
		t.Errorf("wpml_language changes (-want +got):\n%s", diff)
	}
	got := c.send(400, "GET", "/es"+api+"/doc?wpml_language=xx", "")["data"].(map[string]any)["params"]
	if diff := cmp.Diff(map[string]any{"wpml_language": "wpml_language no es uno de en, fr, de y es."}, got); diff != "" {
		t.Errorf("params (-want +got):\n%s", diff)
	}
}

// TestWindowOfSite: the default start is a minute of UTC on the site's clock.
func TestWindowOfSite(t *testing.T) {
	c := newClient(t)
	for prefix, want := range map[string]string{"": "2027-02-02 23:59:00", "/de": "2027-02-03 00:59:00"} {
		link := c.get(prefix + api + "/events?strict_dates=true")["rest_url"].(string)
		if !strings.Contains(link, "start_date="+want) {
			t.Errorf("%q: no %s in %s", prefix, want, link)
		}
	}
}

func TestPeoplesTextIsInTheSeed(t *testing.T) {
	c := newClient(t)
	for _, lang := range languages() {
		e := c.get(lang.prefix + api + "/events/by-slug/" + slugify(seedOf(lang.code).Special["selftitle"]))
		for _, key := range []string{"title", "description", "excerpt", "website"} {
			if !strings.Contains(e[key].(string), "tribe/events/v1") {
				t.Errorf("%s: %s = %v", lang.code, key, e[key])
			}
		}
	}
}

func TestPages(t *testing.T) {
	c := newClient(t)
	for path, root := range map[string]string{
		"/":                              "",
		"/events/":                       "",
		"/event/" + slugOf(en["emoji"]):  "events/",
		"/events/category/on-the-water/": "events/?categories=on-the-water",
		"/de/veranstaltung/" + slugify(seedOf("de").Special["featured"]): "events/",
	} {
		rec := c.do("GET", path, "", nil)
		got := headerOf(rec, "X-TEC-API-ROOT")
		if rec.Code != 200 || len(got) != 1 || !strings.Contains(got[0], api+"/"+root) {
			t.Errorf("%s: %d, X-TEC-API-ROOT %q", path, rec.Code, got)
		}
	}
	for _, path := range []string{"/event/no-such-event/", "/event/" + slugOf(en["private"]), "/wp-admin/", "/it/wp-json/"} {
		if rec := c.do("GET", path, "", nil); rec.Code != 404 {
			t.Errorf("%s: %d", path, rec.Code)
		}
	}
}

// TestGermanIsFormal: the stand-in addresses people as the catalogs do.
func TestGermanIsFormal(t *testing.T) {
	data, err := seedFiles.ReadFile("seed/de.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if word := regexp.MustCompile(`(?i)\b(du|dich|dir|dein\w*)\b`).Find(data); word != nil {
		t.Errorf("seed/de.yaml has %q", word)
	}
}
