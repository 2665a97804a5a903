package mapping

import (
	"slices"
	"strings"
)

// Resources are the collections of the table, in its order.
func Resources() []string {
	var all []string
	for i := range Table {
		if r := Table[i].Resource; r != "" && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// Singular is what one item of a resource is called: "event", "category".
func Singular(resource string) string {
	if stem, found := strings.CutSuffix(resource, "ies"); found {
		return stem + "y"
	}
	return strings.TrimSuffix(resource, "s")
}

// ResourceOf returns the resource of what [Singular] names; "" for none.
func ResourceOf(singular string) string {
	for _, r := range Resources() {
		if Singular(r) == singular {
			return r
		}
	}
	return ""
}

// Item names an item of a resource by its id.
type Item struct{ Resource, ID string }

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

func RowOf(resource string, action Action, bySlug bool) *Endpoint {
	for i := range Table {
		e := &Table[i]
		if e.Resource == resource && e.Action == action && e.BySlug() == bySlug {
			return e
		}
	}
	panic("BUG: no row to " + string(action) + " " + resource)
}
