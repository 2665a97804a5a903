package sim

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// New returns a Site that contains the seed.
func New(opts Options) *Site {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	s := &Site{opts: opts, languages: opts.Languages.languages()}
	s.blogs = s.newBlogs()
	s.sow()
	return s
}

// ServeHTTP answers with the REST API or a page.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.serve(w, r, (*call).runLocked) }

// maxBody is where PHP's post_max_size stands by default.
const maxBody = 8 << 20

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
	query := parseQuery(r.URL.RawQuery)
	c := &call{site: s, http: r, body: body, now: s.opts.Clock(), query: query, root: s.locate(r, query)}
	if !c.root.isREST {
		c.page(w)
		return
	}
	c.write(w, run(c)) // nothing is written under the lock: a slow client would hold up all the others
}

// locate finds the root. rest_route in the query beats the path.
func (s *Site) locate(r *http.Request, query params) root {
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.EscapedPath(), s.opts.Setup.directory()), "/index.php")
	lang, path := s.splitLanguage(path)
	path = strings.TrimPrefix(path, "/index.php")
	route := query.str("rest_route")
	isOfParameter := s.opts.Languages.byParameter() && lang != s.languages[0]
	switch {
	case route != "" && isOfParameter: // the REST API does not know the directory of a language
		return root{lang: s.languages[0], isREST: true, path: route}
	case route != "":
		return root{lang: lang, isREST: true, path: route}
	}
	restRoute, ok := strings.CutPrefix(path, s.opts.Setup.prefix())
	if ok && (restRoute == "" || restRoute[0] == '/') && !s.opts.Setup.Plain && !isOfParameter {
		return root{lang: lang, isREST: true, path: restRoute}
	}
	return root{lang: lang, path: path}
}

func (s *Site) splitLanguage(path string) (*language, string) {
	for _, lang := range s.languages[1:] {
		if suffix, ok := strings.CutPrefix(path, lang.prefix); ok && (suffix == "" || suffix[0] == '/') {
			return lang, suffix
		}
	}
	return s.languages[0], path
}

// runLocked answers the call.
func (c *call) runLocked() *answer {
	if c.reads() {
		c.site.mu.RLock()
		defer c.site.mu.RUnlock()
	} else {
		c.site.mu.Lock()
		defer c.site.mu.Unlock()
	}
	c.blog = c.site.blogs[c.root.lang.code]
	a, err := c.run()
	if e, ok := errors.AsType[*apiError](err); ok {
		return e.answer()
	}
	return a
}

// run performs the steps of WordPress in the order of WordPress. A call that fails a step learns nothing of
// the next: wrong credentials hide that there is no route, a faulty body hides that the write would not have
// been allowed.
func (c *call) run() (*answer, error) {
	if err := c.authenticate(); err != nil {
		return nil, err
	}
	path := strings.TrimRight(c.root.path, "/")
	rt, values := match(path)
	if rt == nil {
		return c.outside(path)
	}
	bodyErr := c.merge(values)
	c.allow = rt.allowed(c)
	e := rt.endpoint(c.http.Method)
	if e == nil {
		c.allow = nil
		return c.outside(path)
	}
	if bodyErr != nil {
		return nil, bodyErr
	}
	c.speak()
	if err := c.validate(e.args); err != nil {
		return nil, err
	}
	c.general = c.bySlug
	if e.may != nil && !e.may(c) {
		return nil, c.forbidden()
	}
	a, err := e.run(c)
	if err == nil && c.reads() {
		c.showPlants(a)
	}
	return a, err
}

// outside answers for the rest of the REST API: the index of the root, and a route of another plugin.
func (c *call) outside(path string) (*answer, error) {
	switch {
	case path == "" && c.reads():
		return success(c.rootIndex())
	case path == "/pll/v1/languages" && c.reads() && c.site.opts.Languages.byParameter():
		return success(c.polylang())
	}
	return nil, c.noRoute()
}

func (c *call) noRoute() *apiError {
	e := c.root.lang.fail(404, "rest_no_route")
	e.message = c.root.lang.shared("error.rest_no_route", nil)
	return e
}

// rootIndex is the index that discovery reads.
func (c *call) rootIndex() object {
	lang := c.root.lang
	_, seconds := c.now.In(lang.zone).Zone()
	namespaces := list{"oembed/1.0", namespace, "wp/v2"}
	if c.site.opts.Languages.byParameter() {
		namespaces = list{"oembed/1.0", namespace, "pll/v1", "wp/v2"}
	}
	authorization := object{{"authorization", c.wordpress() + "/wp-admin/authorize-application.php"}}
	return object{
		{"name", lang.Name}, {"description", lang.Tagline}, {"url", c.wordpress()}, {"home", c.home()},
		{"gmt_offset", seconds / 3600}, {"timezone_string", lang.zone.String()}, {"namespaces", namespaces},
		{"authentication", object{{"application-passwords", object{{"endpoints", authorization}}}}}, {"routes", object{}},
	}
}

// polylang lists the languages, to everybody.
func (c *call) polylang() list {
	out := list{}
	for i, lang := range c.site.languages {
		locale := strings.ReplaceAll(lang.Locale, "-", "_")
		out = append(out, object{
			{"name", lang.code}, {"slug", lang.code}, {"locale", locale}, {"w3c", lang.Locale},
			{"home_url", c.base() + lang.prefix + "/"}, {"active", true}, {"is_default", i == 0},
		})
	}
	return out
}

// write sends the answer with the members that _fields selects.
func (c *call) write(w http.ResponseWriter, a *answer) {
	h := w.Header()
	set(h, "X-Content-Type-Options", "nosniff")
	set(h, "Link", "<"+c.restRoot()+`>; rel="https://api.w.org/"`)
	set(h, "Access-Control-Expose-Headers", "X-WP-Total, X-WP-TotalPages, Link")
	set(h, "Access-Control-Allow-Headers", "Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type")
	if c.http.Method == http.MethodGet && c.user == nil {
		set(h, "Vary", "Origin")
	}
	if c.user != nil {
		set(h, "Cache-Control", "no-cache, must-revalidate, max-age=0, no-store, private")
	}
	names := c.query.list("_fields")
	if names != nil && !a.failed {
		a.body = pick(a.body, names)
	}
	if c.allow != nil {
		set(h, "Allow", strings.Join(c.allow, ", "))
	}
	for _, m := range a.headers {
		if !c.site.opts.Setup.NoTotals || !strings.Contains(m.Name, "-Total") {
			set(h, m.Name, fmt.Sprint(m.Value))
		}
	}
	set(h, "Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(a.status)
	if c.http.Method != http.MethodHead {
		_, _ = w.Write([]byte(Surpluses[c.site.opts.Setup.Surplus] + encodeJSON(a.body)))
	}
}
