package sim

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/calfacade/calfacade/mapping"
)

// route is one pattern of a namespace with the endpoints, in the order in which Allow and the index list
// them.
type route struct {
	namespace string
	pattern   string
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

// match finds the route of a path and the values in the path. The path is matched as received, so that %2F is
// no slash; the values are decoded.
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

// allowed are the methods that the user might use on the subject of the call.
func (rt *route) allowed(c *call) []string {
	var methods []string
	for _, e := range rt.endpoints {
		if e.may == nil || e.may(c) {
			methods = append(methods, e.methods...)
		}
	}
	return methods
}

// describe is the entry of a route in the index, without arguments and schema, and the answer to OPTIONS.
func (rt *route) describe(c *call) object {
	var methods, endpoints list
	for _, e := range rt.endpoints {
		methods = append(methods, listOf(e.methods)...)
		endpoints = append(endpoints, object{{"methods", listOf(e.methods)}, {"args", list{}}})
	}
	o := object{{"namespace", rt.namespace}, {"methods", methods}, {"endpoints", endpoints}}
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

// routeTable returns the routes of the namespace. Sites share the table, because the patterns take long to
// compile.
var routeTable = sync.OnceValue(func() []route {
	table := legacyRoutes()
	for i := range table {
		table[i].re = regexp.MustCompile(`(?i)^/` + table[i].namespace + table[i].pattern + `$`)
	}
	return table
})

// idPattern is the id in a pattern.
const idPattern = `(?P<id>\d+)`

// legacyRoutes are the routes of the table, which has the names of the legacy.
func legacyRoutes() []route {
	var table []route
	pattern := strings.NewReplacer("{id}", idPattern, "{slug}", `(?P<slug>[^/]+)`)
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
	eventResource: eventDef, venueDef.key: venueDef, organizerDef.key: organizerDef, categoryDef.key: categoryDef, tagDef.key: tagDef,
}

func endpointOf(e *mapping.Endpoint) endpoint {
	h := handlers[e.Resource]
	out := endpoint{methods: e.Methods, args: argsOf(e)}
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
		out.run = h.create
		out.may = h.mayCreate
	case mapping.Update:
		out.run = h.update
		out.may = h.mayEdit
	case mapping.Delete:
		out.run = h.remove
		out.may = h.mayEdit
	}
	return out
}
