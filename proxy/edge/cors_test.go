package edge

import (
	"slices"
	"testing"

	"github.com/calfacade/calfacade/mapping"
)

// TestAllowedMethods: a page may use each method of the table.
func TestAllowedMethods(t *testing.T) {
	for _, e := range mapping.Table {
		for _, method := range e.Methods {
			if !slices.Contains(allowedMethods, method) {
				t.Errorf("%s: %s is not allowed", e.Name(), method)
			}
		}
	}
}
