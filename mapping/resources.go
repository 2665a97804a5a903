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
