package sim

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/calfacade/calfacade/mapping"
)

// route is one pattern of the namespace with the endpoints, in the order in which Allow lists them.
type route struct {
	pattern   *regexp.Regexp
	endpoints []endpoint
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
func match(path string) (*route, params) {
	for _, rt := range routeTable() {
		m := rt.pattern.FindStringSubmatch(path)
		if m == nil {
			continue
		}
		values := params{}
		for j, name := range rt.pattern.SubexpNames() {
			if name != "" {
				values[name], _ = url.PathUnescape(m[j])
			}
		}
		return &rt, values
	}
	return nil, nil
}

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

// routeTable returns the routes of the table, which has the names of the legacy. Sites share them, because the
// patterns take long to compile. The index and the document of the namespace are left out: a facade has its own.
var routeTable = sync.OnceValue(func() (table []route) {
	pattern := strings.NewReplacer("{id}", `(?P<id>\d+)`, "{slug}", `(?P<slug>[^/]+)`)
	for _, path := range mapping.Paths() {
		rows := mapping.Rows(path)
		if handlers[rows[0].Resource] == nil {
			continue
		}
		if len(rows) == 3 && !rows[0].OfTerms() { // which name DELETE before the methods that update
			rows[1], rows[2] = rows[2], rows[1]
		}
		rt := route{pattern: regexp.MustCompile(`(?i)^/` + namespace + pattern.Replace(path) + `$`)}
		for _, e := range rows {
			rt.endpoints = append(rt.endpoints, endpointOf(e))
		}
		table = append(table, rt)
	}
	return table
})

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
	out.run = map[mapping.Action]func(*call) (*answer, error){
		mapping.List: h.list, mapping.Create: h.create, mapping.Read: h.read, mapping.Update: h.update, mapping.Delete: h.remove,
	}[e.Action]
	switch e.Action {
	case mapping.Create:
		out.may = h.mayCreate
	case mapping.Update, mapping.Delete:
		out.may = h.mayEdit
	}
	return out
}
