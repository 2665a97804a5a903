package sim

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

// answer is the result of an endpoint.
type answer struct {
	status  int
	body    any
	failed  bool   // _fields spares errors
	headers object // header fields that belong to the answer rather than to the site
	links   object // behind the body, and safe from _fields
}

func ok(body any) (*answer, error) { return &answer{status: 200, body: body}, nil }

const (
	jsonType   = "application/json; charset=UTF-8"
	scriptType = "application/javascript; charset=UTF-8"
	noCache    = "no-cache, must-revalidate, max-age=0, no-store, private"
	longAgo    = "Wed, 11 Jan 1984 05:00:00 GMT"
)

var notCallback = regexp.MustCompile(`[^\w.]`)

func badCallback(query params) bool {
	return query.given("_jsonp") && notCallback.MatchString(query.str("_jsonp"))
}

// refuseCallback comes before WordPress has sent any but its first headers.
func (c *call) refuseCallback(w http.ResponseWriter) {
	c.firstHeaders(w.Header())
	w.Header().Set("Content-Type", scriptType)
	w.WriteHeader(400)
	e := object{{"code", "rest_callback_invalid"}, {"message", "Invalid JSONP callback function."}}
	_, _ = w.Write([]byte(encodeJSON(e, false)))
}

// write sends the answer through the parameters that change its form: _fields,
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
	if c.query.given("_envelope") {
		a = &answer{status: 200, body: object{{"body", a.body}, {"status", a.status}, {"headers", c.ownHeaders(a)}}}
	} else {
		for _, m := range c.ownHeaders(a) {
			if !c.site.opts.Setup.NoTotals || !slices.Contains(totalHeaders, m.name) {
				set(h, m.name, encodeHeader(m.value))
			}
		}
	}
	c.send(w, a)
}

func (c *call) send(w http.ResponseWriter, a *answer) {
	text := encodeJSON(a.body, c.query.given("_pretty"))
	contentType := jsonType
	if callback := c.query.str("_jsonp"); callback != "" {
		text, contentType = "/**/"+callback+"("+text+")", scriptType
	}
	set(w.Header(), "Content-Type", contentType)
	w.WriteHeader(a.status)
	if c.http.Method != http.MethodHead {
		_, _ = w.Write([]byte(Surpluses[c.site.opts.Setup.Surplus] + text))
	}
}

// totalHeaders count a list.
var totalHeaders = []string{"X-TEC-Total", "X-TEC-TotalPages", "X-WP-Total", "X-WP-TotalPages"}

// ownHeaders are the header fields that an envelope includes.
func (c *call) ownHeaders(a *answer) object {
	if c.allow == nil {
		return a.headers
	}
	return a.headers.with("Allow", strings.Join(c.allow, ", "))
}

func encodeHeader(v any) string {
	if n, ok := v.(int); ok {
		return itoa(n)
	}
	return v.(string)
}

func (c *call) firstHeaders(h http.Header) {
	set(h, "X-Robots-Tag", "noindex")
	set(h, "X-Content-Type-Options", "nosniff")
	set(h, "Link", "<"+c.restRoot()+`>; rel="https://api.w.org/"`)
}

// sharingHeaders reflect any origin. Vary is missing where a cache would need
// it most.
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

// locate finds the root. rest_route, in the query or in a form, beats the
// path: it leaves the namespace, and the REST API altogether if it likes.
func (s *Site) locate(r *http.Request, query, form params) root {
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.EscapedPath(), s.opts.Setup.directory()), "/index.php")
	lang, path := s.splitLanguage(path)
	path = strings.TrimPrefix(path, "/index.php")
	if s.opts.Languages.byParameter() && lang != s.languages[0] {
		// The REST API does not know the directory of a language: rest_route names a route of the default one.
		if route := query.str("rest_route"); route != "" {
			return root{s.languages[0], true, route}
		}
		return root{lang, false, path}
	}
	for _, p := range []params{form, query} {
		if p.str("rest_route") != "" {
			return root{lang, true, p.str("rest_route")}
		}
	}
	if query.given("rest_route") {
		return root{lang, false, path} // a page, if there is one
	}
	rest, ok := strings.CutPrefix(path, s.opts.Setup.prefix())
	if ok && (rest == "" || rest[0] == '/') && !s.opts.Setup.Plain {
		return root{lang, true, rest}
	}
	return root{lang, false, path}
}

func (s *Site) splitLanguage(path string) (*language, string) {
	for _, lang := range s.languages[1:] {
		if rest, ok := strings.CutPrefix(path, lang.prefix); ok && (rest == "" || rest[0] == '/') {
			return lang, rest
		}
	}
	return s.languages[0], path
}

// route is one pattern of a namespace with its endpoints, in the order in
// which Allow and the index list them.
type route struct {
	namespace string
	pattern   string
	kind      kind // in tec/v1: of the items; "" for the index and the document
	endpoints []endpoint
	re        *regexp.Regexp
}

// endpoint is one set of methods of a route.
type endpoint struct {
	methods []string
	args    []arg
	may     func(*call) bool // nil: everybody
	run     func(*call) (*answer, error)
}

var (
	get    = []string{"GET"}
	create = []string{"POST"}
	remove = []string{"DELETE"}
)

// match finds the route of a path and the values in it. The path is matched
// as it came, so that %2F is no slash; the values are decoded.
func (s *Site) match(path string) (*route, params) {
	for i := range s.routes {
		rt := &s.routes[i]
		m := rt.re.FindStringSubmatch(path)
		if m == nil {
			continue
		}
		values := params{}
		for j, name := range rt.re.SubexpNames() {
			if name != "" {
				values[name] = decodeSegment(m[j])
			}
		}
		return rt, values
	}
	return nil, nil
}

func decodeSegment(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// ofItem reports whether the pattern names an item, and is no address.
func (rt *route) ofItem() bool { return strings.Contains(rt.pattern, "(") }

// endpoint returns the one for the method, or nil; HEAD is GET.
func (rt *route) endpoint(method string) *endpoint {
	if method == "HEAD" {
		method = "GET"
	}
	for i := range rt.endpoints {
		if slices.Contains(rt.endpoints[i].methods, method) {
			return &rt.endpoints[i]
		}
	}
	return nil
}

// allowed are the methods that the user might use on what the call is about.
func (rt *route) allowed(c *call) []string {
	var methods []string
	for _, e := range rt.endpoints {
		if e.may == nil || e.may(c) {
			methods = append(methods, e.methods...)
		}
	}
	return methods
}

// describe is the entry of a route in the index. OPTIONS answers with it, in tec/v1 with the schema.
func (rt *route) describe(c *call) object {
	var methods, endpoints list
	for _, e := range rt.endpoints {
		methods = append(methods, listOf(e.methods)...)
		var args object
		for _, a := range e.args {
			args = args.with(a.name, a.describe(c))
		}
		if rt.namespace == namespace && c.site.opts.Languages.declares() {
			args = args.with(languageArg, describeLanguageArg())
		}
		endpoints = append(endpoints, object{{"methods", listOf(e.methods)}, {"args", phpArray(args)}})
	}
	o := object{{"namespace", rt.namespace}, {"methods", methods}, {"endpoints", endpoints}}
	if rt.kind != "" && c.method == "OPTIONS" {
		o = o.with("schema", rt.schema(c))
	}
	if rt.ofItem() {
		return o
	}
	self := c.restLink(rt.namespace + rt.pattern)
	return o.with("_links", object{{"self", list{object{{"href", self}}}}})
}

// index lists the routes of the namespace.
func (c *call) index() (*answer, error) {
	var routes object
	for i := range c.site.routes {
		if rt := &c.site.routes[i]; rt.namespace == c.route.namespace {
			routes = routes.with("/"+rt.namespace+rt.pattern, rt.describe(c))
		}
	}
	up := object{{"up", list{object{{"href", c.restRoot()}}}}}
	return &answer{status: 200, body: object{{"namespace", c.route.namespace}, {"routes", routes}}, links: up}, nil
}

// routeTable returns the routes of both namespaces. Sites share it, because its patterns take long to
// compile.
var routeTable = sync.OnceValue(func() []route {
	table := append(legacyRoutes(), tecRoutes()...)
	for i := range table {
		table[i].re = regexp.MustCompile(`(?i)^/` + table[i].namespace + table[i].pattern + `$`)
	}
	return table
})

// legacyRoutes are the routes of the table, whose names are the legacy's.
func legacyRoutes() []route {
	var table []route
	pattern := strings.NewReplacer("{id}", `(?P<id>\d+)`, "{slug}", `(?P<slug>[^/]+)`)
	for _, path := range mapping.Paths() {
		rows := mapping.Rows(path)
		if len(rows) == 3 && !rows[0].OfTerms() { // which name DELETE before the methods that update
			rows[1], rows[2] = rows[2], rows[1]
		}
		rt := route{namespace: namespace, pattern: pattern.Replace(path)}
		for _, e := range rows {
			rt.endpoints = append(rt.endpoints, endpointOf(e))
		}
		table = append(table, rt)
	}
	return table
}

// handler answers the calls for a resource.
type handler interface {
	list(*call) (*answer, error)
	create(*call) (*answer, error)
	read(*call) (*answer, error)
	update(*call) (*answer, error)
	remove(*call) (*answer, error)
	mayCreate(*call) bool
	mayEdit(*call) bool
}

var handlers = map[string]handler{
	eventResource: eventDef{}, venueDef.key: venueDef, organizerDef.key: organizerDef, categoryDef.key: categoryDef, tagDef.key: tagDef,
}

func endpointOf(e *mapping.Endpoint) endpoint {
	h, out := handlers[e.Resource], endpoint{methods: e.Methods, args: argsOf(e)}
	switch e.Action {
	case mapping.Index:
		out.run = (*call).index
	case mapping.Doc:
		out.run = (*call).apiDoc
	case mapping.List:
		out.run = h.list
	case mapping.Read:
		out.run = h.read
	case mapping.Create:
		out.run, out.may = h.create, h.mayCreate
	case mapping.Update:
		out.run, out.may = h.update, h.mayEdit
	case mapping.Delete:
		out.run, out.may = h.remove, h.mayEdit
	}
	return out
}

// maxBody is where PHP's post_max_size stands by default.
const maxBody = 8 << 20

// New returns a Site with the seed in it.
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
	case !c.root.rest:
		c.page(w)
	case badCallback(c.query):
		c.refuseCallback(w)
	default: // nothing is written under the lock: a slow client would hold up all the others
		c.write(w, run(c))
	}
}
