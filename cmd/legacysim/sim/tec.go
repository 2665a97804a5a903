package sim

import (
	"regexp"
	"slices"
)

// The successor of the legacy API, as version 6.17 of the plugin has it beside
// that one, over the same content. Terms and images are WordPress's own (wp.go).

const tecNamespace = "tec/v1"

// tecRoute is one pattern of the namespace with its endpoints, in the order in which
// Allow and the index list them.
type tecRoute struct {
	pattern   string
	kind      kind // of the items, or empty
	endpoints []tecEndpoint
	re        *regexp.Regexp
}

// tecEndpoint is one set of methods of a route.
type tecEndpoint struct {
	methods []string
	args    []tecArg
	may     func(*call, kind) bool // nil: everybody
	open    bool                   // needs no acknowledgement
	run     func(*call, kind) (*answer, error)
}

// tecFolder is the path of a collection.
func tecFolder(k kind) string {
	return map[kind]string{eventKind: "events", venueKind: "venues", organizerKind: "organizers"}[k]
}

// endpoint returns the one for the method, or nil; HEAD is GET.
func (rt *tecRoute) endpoint(method string) *tecEndpoint {
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

// allowed are the methods that the user might use on what the call is about, after it.
func (rt *tecRoute) allowed(c *call) []string {
	var methods []string
	for _, e := range rt.endpoints {
		if e.may == nil || e.may(c, rt.kind) {
			methods = append(methods, e.methods...)
		}
	}
	return methods
}

// tecArg is a parameter of tec/v1: what the index and the OpenAPI document say of it, and
// how a value is checked.
type tecArg struct {
	name, text string
	schema     object // type and the like
	check      tecCheck
}

// with adds a word of the schema.
func (a tecArg) with(name string, value any) tecArg {
	a.schema = append(object{}, a.schema...).with(name, value)
	return a
}

// tecCheck judges a value other than null. The text in a fault names the parameter between
// braces.
type tecCheck func(c *call, name string, v any) error
