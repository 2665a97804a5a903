package probe_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/google/go-cmp/cmp"
)

// proof returns the findings about the languages, a line each: proofs, problems, notes.
func proof(t *testing.T, o proxy.Options, legacy string) string {
	t.Helper()
	f := proxy.New(o)
	defer f.Close()
	var lines []string
	for _, finding := range f.Probe(t.Context()) {
		line := finding.Language + ": nothing"
		if w := finding.Works; w != nil {
			line = fmt.Sprintf("%s: %s %s %s", finding.Language, w.Select, w.Upstream, w.LanguageParam)
		}
		lines = append(lines, strings.TrimSpace(line))
		for _, problem := range finding.Problems {
			lines = append(lines, "  problem: "+problem)
		}
		for _, note := range finding.Notes {
			if strings.HasPrefix(note, "has another time zone") {
				continue // each language of the stand-in has its own
			}
			lines = append(lines, "  note: "+note)
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), legacy, "SITE")
}

// setUp is a configuration in short.
type setUp struct {
	selects i18n.Select
	param   string
	shared  bool   // all languages have the default's root
	tell    string // of Spanish
}

func (s setUp) options(legacy string) proxy.Options {
	o := proxy.Options{
		PublicURL: facadetest.PublicURL, Legacy: proxy.BackendOptions{Dialect: mapping.API{LanguageParam: s.param}},
		Site: i18n.Languages{{Code: "en", Root: "/wp-json"}, {Code: "es", Root: "/es/wp-json", Tell: s.tell}},
	}
	for i := range o.Site {
		o.Site[i].Select = s.selects
		o.Site[i].Upstream = legacy + o.Site[i].Root
		if s.shared {
			o.Site[i].Upstream = legacy + "/wp-json"
		}
	}
	return o
}

// translated is [sim.OneID] with titles that are translated.
const translated = sim.LanguageMode("translated")

// modeOf returns a site that stores its languages in a way.
func modeOf(mode sim.LanguageMode) http.Handler {
	options := sim.Options{Clock: func() time.Time { return facadetest.Start }, Languages: mode}
	if mode != translated {
		return sim.New(options)
	}
	options.Languages = sim.OneID
	site := sim.New(options)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		original := httptest.NewRecorder()
		site.ServeHTTP(original, r)
		maps.Copy(w.Header(), original.Header())
		w.WriteHeader(original.Code)
		title := `"title":"`
		if strings.HasPrefix(r.URL.Path, "/es/") {
			title += "es: "
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(original.Body.String(), `"title":"`, title))
	})
}

// TestProbeLanguages: check finds the choice of the language of real set-ups, from any
// configuration.
func TestProbeLanguages(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	const (
		byPath   = "en: path SITE/wp-json\nes: path SITE/es/wp-json"
		allMixed = "  note: every list has the items of all languages, whichever is requested\n"
		lines    = "  note: Polylang's free edition applies lang to categories and tags only: to list one language, the site needs " +
			"code of its own that sets the language of REST queries (pre_get_posts)"
		onlyLinks = "  note: all roots have the same items and texts, only links differ: the site translates its pages but not this " +
			"API: with TranslatePress, a filter of the site (trp_rest_api_translation_config) must add its namespace"
	)
	works := func(select_, problem string) string {
		return strings.ReplaceAll("en: "+select_+problem+"\nes: "+select_+problem, "@", "SITE/wp-json")
	}
	wrong := func(problem string) string {
		return "\n  problem: the configuration does not select this language, but " + problem + " does"
	}
	for _, test := range []struct {
		name string
		mode sim.LanguageMode
		site setUp
		want string
	}{
		{"directories", sim.Apart, setUp{selects: i18n.ByPath, param: "", shared: false, tell: ""}, byPath},
		{"directories, and a parameter that selects nothing", sim.Apart, setUp{
			selects: i18n.ByBoth,
			param:   "wpml_language",
			shared:  false,
			tell:    "",
		},
			"en: both SITE/wp-json wpml_language\nes: both SITE/es/wp-json wpml_language"},
		{"directories, and a parameter that is checked", sim.Apart, setUp{
			selects: i18n.ByBoth,
			param:   "wpml_language",
			shared:  false,
			tell:    "es_ES",
		},
			"en: both SITE/wp-json wpml_language\nes: path SITE/es/wp-json\n  problem: with wpml_language=es_ES the root responds " +
				"differently (status 400): use select: path"},
		{"directories, taken for a parameter that is declared", sim.Apart, setUp{
			selects: i18n.ByParameter,
			param:   "wpml_language",
			shared:  true,
			tell:    "",
		},
			"en: path SITE/wp-json" + wrong("select: path") + "\nes: path SITE/es/wp-json" +
				wrong("select: path and upstream: SITE/es/wp-json")},
		{"directories, taken for a parameter that is made up", sim.Apart, setUp{
			selects: i18n.ByParameter,
			param:   "locale",
			shared:  true,
			tell:    "",
		},
			"en: path SITE/wp-json" + wrong("select: path") + "\nes: path SITE/es/wp-json" +
				wrong("select: path and upstream: SITE/es/wp-json")},
		{"fallback", sim.Fallback, setUp{
			selects: i18n.ByBoth,
			param:   "wpml_language",
			shared:  false,
			tell:    "",
		},
			"en: both SITE/wp-json wpml_language\nes: both SITE/es/wp-json wpml_language\n  note: lists fall back to en: " +
				"items without a translation show the original"},
		{"Polylang with the site's own lines", sim.ByParameter, setUp{
			selects: i18n.ByParameter,
			param:   "lang",
			shared:  true,
			tell:    "",
		}, works("parameter @ lang", "")},
		{"the same, by another parameter", sim.ByParameter, setUp{
			selects: i18n.ByParameter,
			param:   "wpml_language",
			shared:  true,
			tell:    "",
		},
			works("parameter @ lang", wrong("select: parameter with upstream.language_param: lang"))},
		{"the same, with another code", sim.ByParameter, setUp{
			selects: i18n.ByParameter,
			param:   "lang",
			shared:  true,
			tell:    "es_ES",
		},
			"en: nothing\nes: nothing\n  problem: the site has no language \"es_ES\", only en, es, de, fr: set languages[].tell"},
		{"Polylang, free", sim.Mixed, setUp{selects: i18n.ByParameter, param: "lang", shared: true, tell: ""},
			strings.ReplaceAll("en: parameter @ lang\n"+allMixed+lines+"\nes: parameter @ lang\n"+allMixed+lines, "@", "SITE/wp-json")},
		{"Polylang, free, by another parameter", sim.Mixed, setUp{
			selects: i18n.ByParameter,
			param:   "wpml_language",
			shared:  true,
			tell:    "",
		},
			strings.ReplaceAll("en: parameter @ lang"+wrong("select: parameter with upstream.language_param: lang")+"\n"+allMixed+lines+
				"\nes: parameter @ lang"+wrong("select: parameter with upstream.language_param: lang")+"\n"+allMixed+lines, "@",
				"SITE/wp-json")},
		{"Polylang, taken for directories", sim.ByParameter, setUp{
			selects: i18n.ByPath,
			param:   "",
			shared:  false,
			tell:    "",
		},
			"en: parameter SITE/wp-json lang" + wrong("select: parameter with upstream.language_param: lang") +
				"\nes: parameter SITE/wp-json lang\n  problem: no REST root: status 404, an HTML page: " +
				"the upstream may lack the directory of WordPress, or have another prefix than the site; " +
				"the Link header of the site's start page has the URL" +
				wrong("select: parameter with upstream.language_param: lang and upstream: SITE/wp-json")},
		{"one root for all, and nothing that chooses", sim.OneID, setUp{
			selects: i18n.ByPath,
			param:   "",
			shared:  true,
			tell:    "",
		},
			"en: nothing\n  problem: same response as es, and nothing that was tried selects the language\n" +
				"es: nothing\n  problem: same response as en, and nothing that was tried selects the language"},
		{"TranslatePress", sim.OneID, setUp{selects: i18n.ByPath, param: "", shared: false, tell: ""},
			"en: path SITE/wp-json\n" + onlyLinks + "\nes: path SITE/es/wp-json\n" + onlyLinks},
		{"TranslatePress with the site's own filter", translated, setUp{
			selects: i18n.ByPath,
			param:   "",
			shared:  false,
			tell:    "",
		}, byPath},
		{"the same, by a parameter", translated, setUp{
			selects: i18n.ByParameter,
			param:   "lang",
			shared:  true,
			tell:    "",
		},
			"en: path SITE/wp-json" + wrong("select: path") + "\nes: path SITE/es/wp-json" +
				wrong("select: path and upstream: SITE/es/wp-json")},
	} {
		t.Run(test.name, func(t *testing.T) {
			var site http.Handler
			legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { site.ServeHTTP(w, r) }))
			defer legacy.Close()
			site = modeOf(test.mode)
			got := proof(t, test.site.options(legacy.URL), legacy.URL)
			if diff := cmp.Diff(strings.Split(test.want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
