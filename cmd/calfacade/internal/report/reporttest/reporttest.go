// Package reporttest summarizes reports for tests.
package reporttest

import (
	"fmt"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
	"github.com/calfacade/calfacade/mapping/compare"
)

// Kind names a group of differences, such as "en events.list events[].cost: value".
func Kind(language, endpoint, path string, kind compare.Kind) string {
	return fmt.Sprintf("%s %s %s: %s", language, endpoint, path, kind)
}

// Kinds returns the number of differences in each group.
func Kinds(r report.Report) map[string]int64 {
	kinds := map[string]int64{}
	for _, g := range r.Groups {
		kinds[Kind(g.Language, g.Endpoint, g.Path, g.Kind)] += g.Count
	}
	return kinds
}
