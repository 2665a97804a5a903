package sim

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Options are how a Site is set up; the zero value is good.
type Options struct {
	Clock func() time.Time // nil: time.Now
	Site  string           // scheme://host[:port] that links start with; "": taken from each request's Host, as http

	Setup Setup // how the site differs from the default setup

	Events  int     // how many made-up events there are beside the seed, over all languages
	Planted []Plant // differences from a site without them; for languages that are Apart

	Languages LanguageMode // how the languages are stored
}

// Site is the whole legacy site, all languages, in memory: an http.Handler, safe for concurrent use.
type Site struct {
	opts      Options
	languages []*language

	mu      sync.RWMutex // held to write by requests that may change blogs
	blogs   map[string]*blog
	planted []Plant // as they were put into blogs
}

// base begins links.
func (s *Site) base(r *http.Request) string {
	if s.opts.Site != "" {
		return strings.TrimSuffix(s.opts.Site, "/")
	}
	return "http://" + r.Host
}

// Setup lists differences from the usual setup of a site: in the server, the plugins, or a proxy in front.
// The zero value is the usual setup.
type Setup struct {
	// Basic is "user:password" that the web server wants as HTTP Basic; "" disables that. The web server
	// hands X-Authorization on to WordPress as Authorization.
	Basic string

	Host string // the only Host that is answered; "" answers any

	Cookie  string // the name of a cookie that each answer sets; "" sets no cookie
	NoStore bool   // no answer may be stored

	NoTotals bool // the header fields with the counts of a list get lost on the way

	Surplus string // the text before each answer, a key of Surpluses; "" disables that

	DayEnds time.Duration // after midnight; all-day events begin and end then

	Plain      bool   // permalinks are plain: routes and pages are parameters
	RESTPrefix string // begins the path of the REST interface, without slashes; "": wp-json
	Directory  string // in which the site is, without slashes; "": at the top
	WordPress  string // the directory of WordPress with all files, likewise; "" is Directory
}

// Root is the path of the REST root, to which the path of a call is appended.
func (s Setup) Root() string {
	if s.Plain {
		return s.directory() + plainRoot
	}
	return s.directory() + s.prefix()
}

func (s Setup) prefix() string { return "/" + cmp.Or(s.RESTPrefix, "wp-json") }

// directory is the path of the site.
func (s Setup) directory() string { return strings.TrimSuffix("/"+s.Directory, "/") }

// files is the path of WordPress.
func (s Setup) files() string { return strings.TrimSuffix("/"+cmp.Or(s.WordPress, s.Directory), "/") }

// Surpluses are texts that sites write before their answers without meaning to.
var Surpluses = map[string]string{
	"blank-lines": "\n\n",
	"bom":         "\ufeff",
	"notice": "<br />\n<b>Warning</b>:  Undefined variable $opening in " +
		"<b>/srv/www/wp-content/plugins/opening-hours/hours.php</b> on line <b>12</b><br />\n",
}

// plainRoot stands for the REST root's path where permalinks are plain.
const plainRoot = "/index.php?rest_route="

// webserver answers requests that the web server before PHP refuses, and reports such an answer.
func (s Setup) webserver(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case s.Host != "" && r.Host != s.Host, !strings.HasPrefix(r.URL.Path+"/", s.directory()+"/"):
		refusePage(w, http.StatusNotFound)
	case !s.passes(r):
		set(w.Header(), "WWW-Authenticate", `Basic realm="staging"`)
		refusePage(w, http.StatusUnauthorized)
	default:
		return false
	}
	return true
}

// passes reports whether a request has the credentials of the web server, and leaves the request with the
// credentials for WordPress.
func (s Setup) passes(r *http.Request) bool {
	if s.Basic == "" {
		return true
	}
	user, password, _ := r.BasicAuth()
	if user+":"+password != s.Basic {
		return false
	}
	r.Header.Del("Authorization")
	inner := r.Header.Get("X-Authorization")
	if inner != "" {
		r.Header.Set("Authorization", inner)
	}
	return true
}

func refusePage(w http.ResponseWriter, status int) {
	set(w.Header(), "Content-Type", "text/html")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<title>%s</title>\n", http.StatusText(status))
}

// headers are those that are on every answer.
func (s Setup) headers(w http.ResponseWriter) {
	if s.Cookie != "" {
		http.SetCookie(w, &http.Cookie{Name: s.Cookie, Value: rand.Text(), Path: "/"})
	}
	if s.NoStore {
		set(w.Header(), "Cache-Control", "no-store, no-cache, must-revalidate")
	}
}

// set preserves the spelling of the name, which http.Header.Set would change.
func set(h http.Header, name, value string) { h[name] = []string{value} }

// namespace is the vendor's namespace, which a facade hides.
const namespace = "tribe/events/v1"
