package docs_test

import (
	"slices"
	"testing"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/getkin/kin-openapi/openapi3"
)

// TestOpenAPIMatchesTheTable: no path, method, parameter or field is missing.
func TestOpenAPIMatchesTheTable(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(facadetest.OpenAPI("de"))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, e := range mapping.Table {
		path := e.Path
		if path == "" {
			path = "/"
		}
		item := doc.Paths.Value(path)
		if item == nil {
			t.Errorf("%s: not documented", path)
			continue
		}
		if item.Options == nil {
			t.Errorf("%s: OPTIONS is not documented", path)
		}
		if slices.Contains(e.Methods, "GET") && item.Head == nil {
			t.Errorf("%s: HEAD is not documented", path)
		}
		for _, method := range e.Methods {
			op := item.GetOperation(method)
			if op == nil || ids[op.OperationID] {
				t.Errorf("%s %s: not documented, or with the name of another", method, path)
				continue
			}
			ids[op.OperationID] = true
			checkArgs(t, e, op)
		}
	}
}

func checkArgs(t *testing.T, e *mapping.Endpoint, op *openapi3.Operation) {
	for _, p := range e.Args {
		if p.In != mapping.InBody {
			location := map[mapping.In]string{mapping.InPath: "path", mapping.InQuery: "query"}[p.In]
			if parameter := op.Parameters.GetByInAndName(location, p.Name); parameter == nil || parameter.Required != e.Requires(p) ||
				parameter.Description == "" {
				t.Errorf("%s: parameter %s is documented as %+v", op.OperationID, p.Name, parameter)
			}
		}
		if !e.Writes() || len(e.Fields) == 0 || p.In == mapping.InPath {
			continue
		}
		for kind, media := range op.RequestBody.Value.Content {
			schema := media.Schema.Value
			field := schema.Properties[p.Name]
			if field == nil || field.Value == nil || slices.Contains(schema.Required, p.Name) != e.Requires(p) {
				t.Errorf("%s: field %s is documented as %+v in %s", op.OperationID, p.Name, field, kind)
			}
		}
	}
}
