// Package mappingtest makes calls, finds rows of the table and validates responses against the OpenAPI
// document, for tests.
package mappingtest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping"
)

// Row returns the row of the table with a name.
func Row(t testing.TB, name string) *mapping.Endpoint {
	t.Helper()
	for _, e := range mapping.Table {
		if e.Name() == name {
			return e
		}
	}
	t.Fatalf("no row %s", name)
	return nil
}

// ParseQuery parses a read.
func ParseQuery(t testing.TB, row, query string) (*mapping.Call, error) {
	t.Helper()
	decoded, err := mapping.DecodeForm(query)
	if err != nil {
		t.Fatal(err)
	}
	return mapping.Parse(Row(t, row), http.MethodGet, mapping.Input{Query: decoded}, mapping.Drop)
}

// ParseBody parses a write with a body of JSON or, without a brace at the beginning, of a form.
func ParseBody(t testing.TB, row, item, query, body string) (*mapping.Call, error) {
	t.Helper()
	decode := mapping.DecodeForm
	if strings.HasPrefix(body, "{") {
		decode = func(s string) (mapping.Node, error) { return mapping.DecodeJSON([]byte(s)) }
	}
	input := mapping.Input{Item: item}
	var err error
	if input.Query, err = mapping.DecodeForm(query); err != nil {
		t.Fatal(err)
	}
	if input.Body, err = decode(body); err != nil {
		t.Fatal(err)
	}
	return mapping.Parse(Row(t, row), Row(t, row).Methods[0], input, mapping.Drop)
}

// ParseIDs parses a map of ids.
func ParseIDs(t testing.TB, text string) mapping.IDs {
	t.Helper()
	ids, err := mapping.ParseIDs([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// Line returns a request in one line: method, path, query and body.
func Line(r mapping.Request) string {
	return strings.TrimSpace(strings.TrimSuffix(r.Method+" "+r.Path+"?"+r.Query, "?") + " " + string(r.Body))
}
