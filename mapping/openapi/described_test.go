package openapi_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
)

// object is a value of the document.
type object = map[string]any

// parsed returns the document in English.
func parsed(t *testing.T) object { return parse(t, document("en")) }

func parse(t *testing.T, document []byte) object {
	t.Helper()
	var doc object
	if err := json.Unmarshal(document, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// member returns the value that the names lead to, or nil.
func member(v any, names ...string) any {
	for _, name := range names {
		inner, _ := v.(object)
		v = inner[name]
	}
	return v
}

// resolved returns the value that v refers to, or v.
func resolved(doc object, v any) object {
	if target, ok := member(v, "$ref").(string); ok {
		v = member(doc, strings.Split(strings.TrimPrefix(target, "#/"), "/")...)
	}
	o, _ := v.(object)
	return o
}

// TestReferences: each reference leads to a component, and each component has one.
func TestReferences(t *testing.T) {
	testReferences(t, parsed(t))
	testReferences(t, parse(t, clientDocument("en")))
}

func testReferences(t *testing.T, doc object) {
	t.Helper()
	used := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		case object:
			if target, ok := v["$ref"].(string); ok {
				used[target] = true
				if resolved(doc, v) == nil {
					t.Errorf("%s leads nowhere", target)
				}
			}
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(doc)
	for kind, components := range member(doc, "components").(object) {
		if kind == "securitySchemes" {
			continue // are named without a reference
		}
		for name := range components.(object) {
			if !used["#/components/"+kind+"/"+name] {
				t.Errorf("no reference to the component %s of %s", name, kind)
			}
		}
	}
}

// TestRowsAreDescribed: the operations are the table's, with its parameters, its
// body and its success.
func TestRowsAreDescribed(t *testing.T) {
	doc := parsed(t)
	operations := 0
	for _, path := range member(doc, "paths").(object) {
		operations += len(path.(object)) - 1 // OPTIONS
		if member(path, "get") != nil {
			operations-- // HEAD
		}
	}
	for _, e := range mapping.Table {
		for _, method := range e.Methods {
			operations--
			operation, _ := member(doc, "paths", "/"+strings.TrimPrefix(e.Path, "/"), strings.ToLower(method)).(object)
			if operation == nil {
				t.Errorf("%s %s is not described", method, e.Path)
				continue
			}
			checkOperation(t, doc, e, operation)
		}
	}
	if operations != 0 {
		t.Errorf("%d operations are not of the table", operations)
	}
}

func checkOperation(t *testing.T, doc object, e *mapping.Endpoint, operation object) {
	t.Helper()
	if text, _ := operation["description"].(string); text == "" {
		t.Errorf("%s has no description", operation["operationId"])
	}
	var want, got []string
	for _, p := range e.Args {
		if p.In != mapping.InBody {
			want = append(want, p.Name+" "+strconv.FormatBool(e.Requires(p)))
		}
	}
	for _, v := range operation["parameters"].([]any) {
		if p := resolved(doc, v); p["in"] != "header" {
			got = append(got, p["name"].(string)+" "+strconv.FormatBool(p["required"].(bool)))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: parameters (-table +document):\n%s", operation["operationId"], diff)
	}
	success := resolved(doc, member(operation, "responses", strconv.Itoa(e.Success())))
	if member(success, "content") == nil {
		t.Errorf("%s: no content of status %d", operation["operationId"], e.Success())
	}
	body := resolved(doc, member(operation, "requestBody", "content", "application/json", "schema"))
	if body == nil {
		if len(e.Fields) > 0 {
			t.Errorf("%s: the body is not described", operation["operationId"])
		}
		return
	}
	for _, p := range e.Fields {
		if text, _ := member(body, "properties", p.Name, "description").(string); text == "" {
			t.Errorf("%s: field %s is not described", operation["operationId"], p.Name)
		}
		required, _ := body["required"].([]any)
		if slices.Contains(required, any(p.Name)) != e.Requires(p) {
			t.Errorf("%s: field %s is required: %t", operation["operationId"], p.Name, e.Requires(p))
		}
	}
}

// TestOwnCodesHaveOneStatus: a code that clients act on does not depend on the request.
func TestOwnCodesHaveOneStatus(t *testing.T) {
	statuses := map[string][]string{}
	for status, v := range member(parsed(t), "components", "responses").(object) {
		codes, _ := member(v, "x-codes").([]any)
		for _, code := range codes {
			if strings.HasPrefix(code.(string), "calendar_") {
				statuses[code.(string)] = append(statuses[code.(string)], status)
			}
		}
	}
	if got := statuses["calendar_write_outcome_unknown"]; !slices.Equal(got, []string{strconv.Itoa(http.StatusGatewayTimeout)}) {
		t.Errorf("calendar_write_outcome_unknown: %v", got)
	}
	for code, list := range statuses {
		if len(list) != 1 {
			t.Errorf("%s has the statuses %v", code, list)
		}
	}
}
