package sim

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// answer is the result of an endpoint.
type answer struct {
	status  int
	body    any
	failed  bool   // _fields spares errors
	headers object // header fields that belong to the answer rather than to the site
	links   object // behind the body, and safe from _fields
}

func success(body any) (*answer, error) { return &answer{status: 200, body: body}, nil }

const (
	jsonType   = "application/json; charset=UTF-8"
	scriptType = "application/javascript; charset=UTF-8"
	noCache    = "no-cache, must-revalidate, max-age=0, no-store, private"
	longAgo    = "Wed, 11 Jan 1984 05:00:00 GMT"
)

var notCallback = regexp.MustCompile(`[^\w.]`)

func badCallback(query params) bool {
	return query.isGiven("_jsonp") && notCallback.MatchString(query.str("_jsonp"))
}

// refuseCallback answers before WordPress has sent any but the first headers.
func (c *call) refuseCallback(w http.ResponseWriter) {
	c.firstHeaders(w.Header())
	w.Header().Set("Content-Type", scriptType)
	w.WriteHeader(400)
	e := object{{"code", "rest_callback_invalid"}, {"message", "Invalid JSONP callback function."}}
	_, _ = w.Write([]byte(encodeJSON(e, false)))
}

// write sends the answer through the parameters that change the form: _fields,
// _envelope, _pretty and _jsonp.
func (c *call) write(w http.ResponseWriter, a *answer) {
	h := w.Header()
	c.firstHeaders(h)
	set(h, "Access-Control-Expose-Headers", "X-WP-Total, X-WP-TotalPages, Link")
	set(h, "Access-Control-Allow-Headers", "Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type")
	c.sharingHeaders(h)
	if c.nonce {
		set(h, "X-WP-Nonce", c.user.Nonce())
	}
	overridden := c.http.Header.Get("X-HTTP-Method-Override") != "" && a.status >= 400
	if c.private || c.ended || overridden {
		set(h, "Expires", longAgo)
		set(h, "Cache-Control", noCache)
	}
	if names := c.query.list("_fields"); names != nil && !a.failed {
		a.body = pickEach(a.body, names)
	}
	if a.links != nil {
		a.body = a.body.(object).with("_links", a.links)
	}
	if c.query.isGiven("_envelope") {
		a = &answer{status: 200, body: object{{"body", a.body}, {"status", a.status}, {"headers", c.ownHeaders(a)}}}
	} else {
		for _, m := range c.ownHeaders(a) {
			if !c.site.opts.Setup.NoTotals || !slices.Contains(totalHeaders, m.Name) {
				set(h, m.Name, fmt.Sprint(m.Value))
			}
		}
	}
	c.send(w, a)
}

func (c *call) send(w http.ResponseWriter, a *answer) {
	text := encodeJSON(a.body, c.query.isGiven("_pretty"))
	contentType := jsonType
	if callback := c.query.str("_jsonp"); callback != "" {
		text = "/**/" + callback + "(" + text + ")"
		contentType = scriptType
	}
	set(w.Header(), "Content-Type", contentType)
	w.WriteHeader(a.status)
	if c.http.Method != http.MethodHead {
		_, _ = w.Write([]byte(Surpluses[c.site.opts.Setup.Surplus] + text))
	}
}

// totalHeaders count a list.
var totalHeaders = []string{
	"X-Calendar-Total", "X-Calendar-TotalPages", "X-TEC-Total", "X-TEC-TotalPages", "X-WP-Total", "X-WP-TotalPages",
}

// ownHeaders are the header fields that an envelope includes.
func (c *call) ownHeaders(a *answer) object {
	if c.allow == nil {
		return a.headers
	}
	return a.headers.with("Allow", strings.Join(c.allow, ", "))
}

func (c *call) firstHeaders(h http.Header) {
	set(h, "X-Robots-Tag", "noindex")
	set(h, "X-Content-Type-Options", "nosniff")
	set(h, "Link", "<"+c.restRoot()+`>; rel="https://api.w.org/"`)
}

// sharingHeaders reflect any origin. Vary is missing where a cache would need the field most.
func (c *call) sharingHeaders(h http.Header) {
	if origin := c.http.Header.Get("Origin"); origin != "" {
		set(h, "Access-Control-Allow-Origin", origin)
		set(h, "Access-Control-Allow-Methods", "OPTIONS, GET, POST, PUT, PATCH, DELETE")
		set(h, "Access-Control-Allow-Credentials", "true")
		set(h, "Vary", "Origin")
	} else if c.http.Method == http.MethodGet && c.user == nil && !c.ended {
		set(h, "Vary", "Origin")
	}
}

// locate finds the root. rest_route, in the query or in a form, beats the path, and may lead out of the
// namespace, and out of the REST API altogether.
func (s *Site) locate(r *http.Request, query, form params) root {
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.EscapedPath(), s.opts.Setup.directory()), "/index.php")
	lang, path := s.splitLanguage(path)
	path = strings.TrimPrefix(path, "/index.php")
	if s.opts.Languages.byParameter() && lang != s.languages[0] {
		// The REST API does not know the directory of a language: rest_route names a route of the default one.
		if route := query.str("rest_route"); route != "" {
			return root{lang: s.languages[0], isREST: true, path: route}
		}
		return root{lang: lang, isREST: false, path: path}
	}
	for _, p := range []params{form, query} {
		if p.str("rest_route") != "" {
			return root{lang: lang, isREST: true, path: p.str("rest_route")}
		}
	}
	if query.isGiven("rest_route") {
		return root{lang: lang, isREST: false, path: path} // a page, if the path names one
	}
	restRoute, ok := strings.CutPrefix(path, s.opts.Setup.prefix())
	if ok && (restRoute == "" || restRoute[0] == '/') && !s.opts.Setup.Plain {
		return root{lang: lang, isREST: true, path: restRoute}
	}
	return root{lang: lang, isREST: false, path: path}
}

func (s *Site) splitLanguage(path string) (*language, string) {
	for _, lang := range s.languages[1:] {
		if suffix, ok := strings.CutPrefix(path, lang.prefix); ok && (suffix == "" || suffix[0] == '/') {
			return lang, suffix
		}
	}
	return s.languages[0], path
}

var (
	get    = []string{"GET"}
	create = []string{"POST"}
	remove = []string{"DELETE"}
)

// maxBody is where PHP's post_max_size stands by default.
const maxBody = 8 << 20

// New returns a Site that contains the seed.
func New(opts Options) *Site {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	s := &Site{opts: opts, routes: routeTable(), languages: opts.Languages.languages()}
	s.blogs = s.newBlogs()
	s.sow()
	return s
}

// ServeHTTP answers with the REST API or a page.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.serve(w, r, (*call).runLocked) }

func (s *Site) serve(w http.ResponseWriter, r *http.Request, run func(*call) *answer) {
	s.opts.Setup.headers(w)
	if s.opts.Setup.webserver(w, r) {
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "body too large", http.StatusRequestEntityTooLarge)
		return
	}
	switch c := s.newCall(r, body); {
	case !c.root.isREST:
		c.page(w)
	case badCallback(c.query):
		c.refuseCallback(w)
	default: // nothing is written under the lock: a slow client would hold up all the others
		c.write(w, run(c))
	}
}
