package staging

import (
	"fmt"
	"slices"
	"strings"
)

// Describe describes cells briefly. Mostly they are all cells of some resources in some
// languages.
func Describe(cells []Cell) string {
	var ops, resources, languages []string
	for _, c := range cells {
		ops, resources, languages = with(ops, string(c.Op)+"s"), with(resources, c.Resource), with(languages, c.Language)
	}
	if len(ops)*len(resources)*len(languages) == len(cells) && len(cells) > 0 {
		return fmt.Sprintf("%s of %s in %s", strings.Join(ops, " and "), strings.Join(resources, ", "), strings.Join(languages, ", "))
	}
	var each []string
	for _, c := range cells {
		each = append(each, Describe([]Cell{c}))
	}
	return strings.Join(each, "; ")
}

func with(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
