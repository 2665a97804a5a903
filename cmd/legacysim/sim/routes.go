package sim

import (
	"net/url"
	"regexp"
	"slices"
)

// route is one pattern of the namespace with its endpoints, in the order in
// which Allow and the index list them.
type route struct {
	pattern   string
	noun      string // what the descriptions speak of
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
	edit   = []string{"POST", "PUT", "PATCH"}
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
