package tec

import (
	_ "embed" // for the parts of the document
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping"
)

// documentParts are the parts of the recorded document: the parameters of lists with their types, the fields of
// writes, and the members of items.
//
//go:embed testdata/document.txt
var documentParts string

// TestNames: the document has each filter and field that is sent, and no field that is not.
func TestNames(t *testing.T) {
	for _, resource := range []string{"events", "venues", "organizers"} {
		for _, p := range mapping.RowOf(resource, mapping.List, false).Params {
			part := "parameter " + strings.TrimSuffix(sentName(resource, p), "[]") + " of GET /" + resource + ":"
			if isSent := sentName(resource, p) != ""; isSent && !strings.Contains(documentParts, part) {
				t.Errorf("no %s", part)
			}
		}
		for _, p := range mapping.FieldsOf(resource) {
			part := "field " + nameOf(resource, p.Name) + " of POST /" + resource + "\n"
			if strings.Contains(documentParts, part) == isLacking(resource, p.Name) {
				t.Errorf("%s: %t", part, isLacking(resource, p.Name))
			}
		}
	}
}
