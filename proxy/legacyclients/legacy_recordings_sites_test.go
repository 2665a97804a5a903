package legacyclients_test

import (
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/recordedtest"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/legacyclients"
)

// siteOfAKind is a recorded site that is set up otherwise than the usual one.
type siteOfAKind struct {
	configure func(o *proxy.Options, legacy string)

	// target returns the path of the facade for a recorded one; "" without such a path.
	target func(path string) string

	// expect makes the recorded response the facade's, with its own links; nil changes nothing.
	expect func(x *facadetest.RecordedExchange)
}

// sitesOfRecordings are the sites of other kinds, by the folder of their recordings.
var sitesOfRecordings = map[string]siteOfAKind{
	"broken":    {configure: func(*proxy.Options, string) {}, target: inNamespace},
	"closed":    {configure: func(*proxy.Options, string) {}, target: inNamespace},
	"elsewhere": siteAt("/else/wp-json"),
	"plain": {
		configure: func(o *proxy.Options, _ string) {
			for i := range o.Site {
				o.Site[i].Upstream = strings.TrimSuffix(o.Site[i].Upstream, "/wp-json") + "/index.php?rest_route="
			}
		},
		target: func(path string) string {
			dir, route, isPlain := strings.Cut(path, "?rest_route=/tribe/events/v1")
			if !isPlain || strings.Contains(route, "?") || !strings.HasSuffix(dir, "/") {
				return ""
			}
			return dir + "wp-json/tribe/events/v1" + strings.Replace(route, "&", "?", 1)
		},
		expect: (*facadetest.RecordedExchange).PrettyLinks,
	},
	"polylang": {
		configure: func(o *proxy.Options, legacy string) {
			o.Legacy.Dialect.LanguageParam = "lang"
			for i := range o.Site {
				o.Site[i].Root = "/wp-json"
				o.Site[i].Upstream = legacy + "/wp-json"
				o.Site[i].Select = i18n.ByParameter
			}
		},
		target: func(path string) string {
			if !strings.HasPrefix(path, "/wp-json/") {
				return "" // the site has one root
			}
			return inNamespace(path)
		},
		expect: (*facadetest.RecordedExchange).NameLanguage,
	},
	"prefix": siteAt("/pre/api"),
	"subdir": siteAt("/blog/wp-json"),
	"translatepress": {
		configure: func(o *proxy.Options, _ string) { o.Legacy.Dialect.LanguageParam = "" },
		target:    inNamespace,
	},
}

// siteAt is a French site with its REST root at a path, where the facade has it too.
func siteAt(root string) siteOfAKind {
	return siteOfAKind{
		configure: func(o *proxy.Options, legacy string) {
			o.Site = i18n.Languages{{Code: "fr", Root: root, Upstream: legacy + root}}
			o.Legacy.SiteAliases = []string{siteOfRecordings + path.Dir(root)}
		},
		target: func(path string) string {
			if !strings.HasPrefix(path, root+"/tribe/events/v1") {
				return ""
			}
			return path
		},
	}
}

// inNamespace is for a site with the roots of the facade.
func inNamespace(path string) string {
	if !facadetest.UnderNamespace.MatchString(path) || strings.HasPrefix(path, "/en/") {
		return ""
	}
	return path
}

// TestLegacyRecordingsOfOtherSites is [TestLegacyRecordings] for sites with plain permalinks,
// Polylang or TranslatePress, and for one that is not well.
func TestLegacyRecordingsOfOtherSites(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	const list = "testdata/legacy_recordings_sites_differ.txt"
	results := recordedResults{differences: facadetest.ReadDifferences(t, list)}
	for kind, site := range sitesOfRecordings {
		var current facadetest.RecordedExchange
		legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.Reply(w, r) }))
		defer legacy.Close()
		o := facadetest.RecordingOptions(legacy.URL)
		o.PublicURL = siteOfRecordings
		site.configure(&o, legacy.URL)
		names := mapping.API{Dialect: tribe.Dialect, LanguageParam: o.Legacy.Dialect.LanguageParam}
		o.LegacyClients = &legacyclients.Options{Names: names}
		facade := httptest.NewServer(proxy.New(o))
		defer facade.Close()
		for _, file := range recordedtest.Files(t, kind+"/*/*") {
			current = facadetest.ReadRecording(t, file)
			target := site.target(current.Request.Path)
			if target == "" {
				continue
			}
			expected := current
			if site.expect != nil {
				site.expect(&expected)
			}
			results.send(t, facade.URL, target, &expected)
		}
	}
	results.end(t, list, 360)
}
