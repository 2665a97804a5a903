// Package reporttest summarizes reports for tests.
package reporttest

import (
	"fmt"
	"strings"

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

// Cause names a finding, such as "en venues 12 city".
func Cause(language, resource, id, member string) string {
	return strings.Join([]string{language, resource, id, member}, " ")
}

// Causes returns the number of responses that show each finding.
func Causes(r report.Report) map[string]int {
	causes := map[string]int{}
	for _, f := range r.Findings {
		causes[Cause(f.Language, f.Resource, f.ID, f.Member)] += f.Responses
	}
	return causes
}
