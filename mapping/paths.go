package mapping

import (
	"slices"
	"strings"
)

// Paths lists the paths of the table, each once, in its order.
func Paths() []string {
	var paths []string
	for i := range Table {
		if p := Table[i].Path; !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	return paths
}

// Rows returns the rows of a path.
func Rows(path string) []*Endpoint {
	var rows []*Endpoint
	for i := range Table {
		if Table[i].Path == path {
			rows = append(rows, &Table[i])
		}
	}
	return rows
}

// Methods lists the methods of a path in the table's order, without the implied.
func Methods(path string) []string {
	var methods []string
	for _, e := range Rows(path) {
		methods = append(methods, e.Methods...)
	}
	return methods
}

// SlugLiteral returns the path segment before a slug.
func SlugLiteral() string {
	for _, path := range Paths() {
		if before, found := strings.CutSuffix(path, "/{"+SlugParam.Name+"}"); found {
			return before[strings.LastIndexByte(before, '/')+1:]
		}
	}
	panic("BUG: the table has no path with a slug")
}

// IndexNamespace reports whether an index call is for this namespace.
func IndexNamespace(c *Call) bool { return c.Value(inIndex.Name) == Namespace }
