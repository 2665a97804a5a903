package probe_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/recordedtest"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

const (
	anIndex = `{"home":"http://SITE","url":"http://SITE","namespaces":["tribe/events/v1"],"timezone_string":"Europe/Paris"}`
	aList   = `{"events":[],"rest_url":"http://SITE/wp-json/tribe/events/v1/events/","total":0,"total_pages":0}`
)

// diagnosis probes one root and returns its problems and notes, a line each.
func diagnosis(t *testing.T, root string, edit func(*proxy.Options)) string {
	t.Helper()
	o := proxy.Options{
		PublicURL: facadetest.PublicURL,
		Site:      i18n.Languages{{Code: "en", Root: "/wp-json", Upstream: root}},
	}
	if edit != nil {
		edit(&o)
	}
	f := proxy.New(o)
	defer f.Close()
	finding := f.Probe(t.Context())[0]
	return strings.Join(append(finding.Problems, finding.Notes...), "\n")
}

// TestProbeNoRoot: a response that is no REST root is named, with a remedy. Sites answer
// a path as the map says, and 404 any other.
func TestProbeNoRoot(t *testing.T) {
	page := func(title string) string {
		return "<!DOCTYPE html><html><head><title>" + title + "</title></head></html>"
	}
	for _, test := range []struct {
		name   string
		path   string // below the site
		status int
		kind   string
		body   string
		want   string
	}{
		{"page", "/wp-json/", 200, "text/html; charset=UTF-8", page("Coming &amp; going\n soon"),
			`status 200, an HTML page titled "Coming & going soon": .*bot check.*correct the upstream`},
		{"control characters", "/wp-json/", 200, "text/html", page("\x1b[2Jx"), `titled "\\x1b\[2Jx"`},
		{"long title", "/wp-json/", 200, "text/html", page(strings.Repeat("é", 500)), `titled "é{1,50}":`},
		{"closed by a plugin", "/wp-json/", 403, "application/json", `{"code":"rest_disabled"}`,
			`status 403, code "rest_disabled": a security plugin.*anonymous GET requests below tribe/events/v1`},
		{"maintenance", "/wp-json/", 503, "application/json", `{"code":"wp_die"}`, `status 503, code "wp_die": the site is in maintenance`},
		{"broken", "/wp-json/", 500, "text/html", page("Error"), `status 500.*its PHP error log`},
		{"other JSON", "/wp-json/", 200, "application/json", `[1]`, `status 200, other JSON, which begins "\[1\]"$`},
		{"JSON of a wall", "/wp-json/", 200, "application/json", `{"message":"Access denied"}`,
			`other JSON, which begins "{\\"message\\":\\"Access denied\\"}"$`},
		{"text", "/wp-json/", 200, "text/plain", `hello`, `status 200, no JSON$`},
		{"namespace", "/wp-json/", 200, "application/json", `{"namespace":"wp-json","routes":{}}`,
			`is the index of the namespace wp-json, not a REST root: set http://[0-9.:]+ as the upstream`},
		{"nothing", "/nothing", 200, "application/json", anIndex, `status 404.*: the upstream may lack the directory`},
	} {
		t.Run(test.name, func(t *testing.T) {
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != test.path {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Content-Type", test.kind)
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, strings.ReplaceAll(test.body, "SITE", r.Host))
			}))
			defer site.Close()
			if got := diagnosis(t, site.URL+"/wp-json", nil); !regexp.MustCompile(test.want).MatchString(got) {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
}

// TestProbeStartPage: if the web server knows no REST root, the start page of the site names it. With
// another prefix the root with plain permalinks responds, too, and is not what the site uses.
func TestProbeStartPage(t *testing.T) {
	for _, test := range []struct{ name, link, want string }{
		{"another prefix", `<http://SITE/api/>; rel="https://api.w.org/"`,
			`status 404, no JSON: the site reports the REST root http://[0-9.:]+/api; set that as the upstream$`},
		{"plain permalinks", `<http://SITE/index.php?rest_route=/>; rel="https://api.w.org/"`,
			`status 404, no JSON: the site reports the REST root http://[0-9.:]+/index\.php\?rest_route=; set that as the upstream$`},
		{"no link", "", `status 404, no JSON: the upstream may lack the directory`},
	} {
		t.Run(test.name, func(t *testing.T) {
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/wp-json/" {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Link", strings.ReplaceAll(test.link, "SITE", r.Host))
				_, _ = io.WriteString(w, strings.ReplaceAll(anIndex, "SITE", r.Host))
			}))
			defer site.Close()
			if got := diagnosis(t, site.URL+"/wp-json", nil); !regexp.MustCompile(test.want).MatchString(got) {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
}

// TestProbeRecordedRoots: what a real site answered at its REST root when it was closed, in
// maintenance or broken.
func TestProbeRecordedRoots(t *testing.T) {
	for name, want := range map[string]string{
		"bom-root":            `^events\.list: status 404`,
		"fatal-on-load-root":  `status 500, code "internal_server_error": the site is broken`,
		"forbidden-root":      `status 403, code "rest_disabled": a security plugin`,
		"login-required-root": `status 401, code "rest_not_logged_in": a security plugin`,
		"maintenance-root":    `status 503, code "wp_die": the site is in maintenance`,
		"notice-root":         `^events\.list: status 404`,
		"plugin-off-root":     `^the root does not list tribe/events/v1: is the plugin active\?`,
	} {
		recorded := facadetest.ReadRecording(t, recordedtest.Files(t, "broken/en/"+name)[0])
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/wp-json/" {
				http.NotFound(w, r)
				return
			}
			recorded.Reply(w, r)
		}))
		got := diagnosis(t, site.URL+"/wp-json", nil)
		site.Close()
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

// TestProbeRecordedPermalinks: index.php?rest_route= answers also on a site whose pages have pretty
// permalinks, which its own link to the REST root shows.
func TestProbeRecordedPermalinks(t *testing.T) {
	for file, want := range map[string]string{
		"plain/en/events-list":           "has plain permalinks: the URLs of its pages contain vendor names unless pages_url is set",
		"plain/en/index-php-events-list": "",
	} {
		list := facadetest.ReadRecording(t, recordedtest.Files(t, file)[0])
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("rest_route") != "/" {
				list.Reply(w, r)
				return
			}
			w.Header().Set("Link", list.Response.Headers["Link"].(string))
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, strings.ReplaceAll(anIndex, "SITE", "legacy.example"))
		}))
		got := diagnosis(t, site.URL+"/index.php?rest_route=",
			func(o *proxy.Options) { o.Legacy.SiteAliases = []string{"http://legacy.example"} })
		site.Close()
		if got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// TestProbeCacheOfSite: a list that a cache in front of the site had stored is found, also one that it stores by the
// first read.
func TestProbeCacheOfSite(t *testing.T) {
	for field, want := range map[string]string{
		"X-Cache-Status: HIT":           `a cache at the site answers REST reads (X-Cache-Status: HIT), whatever the query`,
		"CF-Cache-Status: HIT":          `a cache at the site answers REST reads (Cf-Cache-Status: HIT), whatever the query`,
		"Cache-Status: front; hit":      `a cache at the site answers REST reads (Cache-Status: front; hit), whatever the query`,
		"Age: 12":                       `a cache at the site answers REST reads (Age: 12), whatever the query`,
		"second X-Cache: HIT":           `a cache at the site answers REST reads (X-Cache: HIT), and after a change`,
		"second Age: 3":                 `a cache at the site answers REST reads (Age: 3), and after a change`,
		"Age: 0":                        "",
		"X-Cache: Miss from cloudfront": "",
		"CF-Cache-Status: DYNAMIC":      "",
	} {
		name, value, _ := strings.Cut(field, ": ")
		values := map[string]bool{}
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("X-TEC-Total", "1")
			w.Header().Set("X-TEC-TotalPages", "1")
			body := anIndex
			if strings.Contains(r.URL.Path, "events") {
				if !strings.HasPrefix(name, "second ") || values[r.URL.RawQuery] {
					w.Header().Set(strings.TrimPrefix(name, "second "), value)
				}
				values[r.URL.RawQuery], body = true, aList
			}
			_, _ = io.WriteString(w, strings.ReplaceAll(body, "SITE", r.Host))
		}))
		got := diagnosis(t, site.URL+"/wp-json", nil)
		site.Close()
		if !strings.Contains(got, want) || (want == "") == strings.Contains(got, "cache at the site") {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
}
