package sim

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// Options are how a Site is set up; the zero value is good.
type Options struct {
	Clock func() time.Time // nil: time.Now
	Site  string           // scheme://host[:port] that links start with; "": taken from each request's Host, as http

	Setup Setup // how it differs from the default setup

	Events  int     // how many made-up events there are beside the seed, over all languages
	Planted []Plant // in what the site differs from one without them; for languages that are Apart

	Languages LanguageMode // how the languages are stored
	Recurring int          // how many series of events there are in each language, whose occurrences have ids of their own
}

// Site is the whole legacy site, all languages, in memory. It is an
// http.Handler and safe for concurrent use.
type Site struct {
	opts      Options
	routes    []route
	languages []*language

	mu      sync.RWMutex // held to write by requests that may change blogs
	blogs   map[string]*blog
	planted []Plant // as they were put into blogs
}

// base is what links start with.
func (s *Site) base(r *http.Request) string {
	if s.opts.Site != "" {
		return strings.TrimSuffix(s.opts.Site, "/")
	}
	return "http://" + r.Host
}

// call is one request to the REST API on its way.
type call struct {
	site   *Site
	http   *http.Request
	root   root
	query  params
	body   []byte
	method string // after any override
	now    time.Time

	route   *route
	blog    *blog
	lang    *language // of the parameter lang; nil: none, or unknown
	path    params    // parameters in the path
	bySlug  bool      // the path names an item by its slug
	general bool      // rights to write in general, not to the item
	params  params    // all, merged in the order of merge
	user    *User     // nil: anonymous
	nonce   bool      // logged in by cookie and nonce
	private bool      // the answer must not be cached
	ended   bool      // by a fatal error of PHP
	allow   []string
	counts  map[int]int // of events by term, made when first needed
}

// reads reports whether the call changes nothing.
func (c *call) reads() bool {
	return c.method == "GET" || c.method == "HEAD" || c.method == "OPTIONS"
}

// root is where a request goes: a language, and a route of the REST API or the
// path of a page.
type root struct {
	lang *language
	rest bool
	path string // begins with a slash; still percent-encoded
}
