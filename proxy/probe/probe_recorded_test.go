package probe_test

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/recordedtest"
	"github.com/calfacade/calfacade/proxy/facadetest"
	gocmp "github.com/google/go-cmp/cmp"
)

// recordedSite answers lists as a real site with a language plugin did.
type recordedSite struct {
	recordings map[string]facadetest.RecordedExchange
	// file is the recording of a resource below a directory, in the language that a
	// parameter names.
	file func(directory, resource, lang string) string
}

// newRecordedSite reads all recordings of a plugin.
func newRecordedSite(t *testing.T, folder string, file func(directory, resource, lang string) string) recordedSite {
	t.Helper()
	s := recordedSite{recordings: map[string]facadetest.RecordedExchange{}, file: file}
	for _, f := range recordedtest.Files(t, folder+"/*/*") {
		_, name, _ := strings.Cut(recordedtest.Name(f), "/")
		s.recordings[name] = facadetest.ReadRecording(t, f)
	}
	return s
}

func (s recordedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	directory, resource, _ := strings.Cut(r.URL.Path, "/wp-json/")
	resource = strings.TrimPrefix(resource, "tribe/events/v1/")
	recording, ok := s.recordings[s.file(directory, resource, r.URL.Query().Get("lang"))]
	if !ok {
		http.NotFound(w, r)
		return
	}
	recording.Reply(w, r)
}

// polylangFile returns the recording of Polylang for a list. glue is the prefix of
// recordings whose lists follow the parameter. Languages other than Spanish were recorded as
// an unknown one, which is the default.
func polylangFile(glue string) func(directory, resource, lang string) string {
	return func(directory, resource, lang string) string {
		switch {
		case directory != "":
			return "mixed/root-es-dir"
		case resource == "":
			return "mixed/root"
		case resource == "pll/v1/languages":
			return "mixed/pll-languages"
		}
		list := "/" + glue + resource + "-list"
		if resource == "categories" {
			list = "/categories-list" // with the lines too
		}
		switch {
		case lang == "es":
			return "es" + list + "-lang"
		case lang != "" && (glue != "" || resource == "categories"):
			return "mixed" + list + "-lang-unknown"
		}
		return "mixed" + list
	}
}

func translatePressFile(glue string) func(directory, resource, lang string) string {
	return func(directory, resource, _ string) string {
		code := cmp.Or(strings.TrimPrefix(directory, "/"), "en")
		if resource == "" {
			return map[string]string{"en": "en/root", "es": "es/root-es-dir"}[code]
		}
		return code + "/" + glue + resource + "-list"
	}
}

// TestProbeRecordedLanguages: check draws the right conclusions from the recordings of real
// sites with Polylang and TranslatePress.
func TestProbeRecordedLanguages(t *testing.T) {
	byLang := setUp{selects: i18n.ByParameter, param: "lang", shared: true, tell: ""}
	byPath := setUp{selects: i18n.ByPath, param: "", shared: false, tell: ""}
	for _, test := range []struct {
		name   string
		folder string
		file   func(directory, resource, lang string) string
		site   setUp
		want   []string // how lines begin
	}{
		{"Polylang", "polylang", polylangFile(""), byLang, []string{
			"en: parameter SITE/wp-json lang", "  note: every list has the items of all languages,",
			"  note: Polylang's free edition",
			"es: parameter SITE/wp-json lang", "  note: every list has the items of all languages,",
			"  note: Polylang's free edition",
		}},
		{"Polylang with lines of the site", "polylang", polylangFile("glue-"), byLang, []string{
			"en: parameter SITE/wp-json lang", "es: parameter SITE/wp-json lang",
		}},
		{"TranslatePress", "translatepress", translatePressFile(""), byPath, []string{
			"en: path SITE/wp-json", "  note: all roots have the same items and texts, only links differ",
			"es: path SITE/es/wp-json", "  note: all roots have the same items and texts, only links differ",
		}},
		{"TranslatePress with a filter of the site", "translatepress", translatePressFile("glue-"), byPath, []string{
			"en: path SITE/wp-json", "es: path SITE/es/wp-json",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			legacy := httptest.NewServer(newRecordedSite(t, test.folder, test.file))
			defer legacy.Close()
			o := test.site.options(legacy.URL)
			o.Legacy.SiteAliases = []string{"http://legacy.example"} // the recorded site's own name
			got := strings.Split(proof(t, o, legacy.URL), "\n")
			for i := range min(len(got), len(test.want)) {
				if strings.HasPrefix(got[i], test.want[i]) {
					got[i] = test.want[i]
				}
			}
			if diff := gocmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
