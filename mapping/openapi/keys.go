package openapi

import (
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// attributeKey is the key of the description of a, an attribute of s.
func attributeKey(s *mapping.Shape, a *mapping.Attribute) string {
	if a.Text != "" {
		return a.Text
	}
	return "answer." + s.Name + "." + a.Name
}

// shapeKey is the key of the shape's description.
func shapeKey(s *mapping.Shape) string {
	if s.Text != "" {
		return s.Text
	}
	return "schema." + s.Name
}

// paramKey is the key of p's description in the catalogs, such as
// "events.query.search" or "venues.field.city".
func paramKey(e *mapping.Endpoint, p *mapping.Param) string {
	if p.Text != "" {
		return p.Text
	}
	place := map[mapping.In]string{mapping.InQuery: "query", mapping.InPath: "path", mapping.InBody: "field"}[p.In]
	return strings.TrimPrefix(e.Resource+"."+place+"."+p.Name, ".")
}

func generatedKey(g mapping.Generated) string {
	return map[mapping.Generated]string{mapping.LastMidnight: "default.last_midnight", mapping.TwoYearsOn: "default.two_years_on"}[g]
}

// operationName is the row's name, but for that of the index: generators write a file for each
// operation, and an index.ts of their own.
func operationName(e *mapping.Endpoint) string {
	if e.Action == mapping.Index {
		return namespaceShape.Name
	}
	return e.Name()
}
