package openapi_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
	"github.com/calfacade/calfacade/mapping/openapi"
)

// TestClientForm: each row is one operation with one success and one error, in JSON.
func TestClientForm(t *testing.T) {
	doc := parse(t, openapi.ClientDocument(base, "en", i18n.Catalog("en"), false))
	operations := map[string]object{}
	for _, path := range member(doc, "paths").(object) {
		for _, operation := range path.(object) {
			operations[member(operation, "operationId").(string)] = operation.(object)
		}
	}
	for _, e := range mapping.Table {
		name := strings.Replace(e.Name(), "index", "namespace", 1)
		operation := operations[name]
		delete(operations, name)
		if operation == nil {
			t.Errorf("%s is not described", e.Name())
			continue
		}
		checkOperation(t, doc, e, operation)
		want := []string{strconv.Itoa(e.Success()), "default"}
		if !e.Writes() {
			want = []string{"200", "304", "default"}
		}
		responses := member(operation, "responses").(object)
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(responses))); diff != "" {
			t.Errorf("%s: responses (-want +document):\n%s", e.Name(), diff)
		}
		for _, name := range []string{want[0], "default"} {
			if member(responses, name, "$ref") == nil {
				t.Errorf("%s: the response %s has no name", e.Name(), name)
			}
		}
	}
	for name := range operations {
		t.Errorf("%s is no row of the table", name)
	}
	for name, schema := range member(doc, "components", "schemas").(object) {
		for field, v := range member(schema, "properties").(object) {
			if value, present := v.(object)["default"]; present {
				t.Errorf("%s.%s has the default %v", name, field, value)
			}
		}
	}
	if schemes := slices.Collect(maps.Keys(member(doc, "components", "securitySchemes").(object))); !slices.Equal(schemes, []string{"basic"}) {
		t.Errorf("credentials: %v", schemes)
	}
	for _, unwanted := range []string{"4XX", `"application/problem+json":`, `"multipart/form-data"`, `"nonce":[]`} {
		if strings.Contains(string(clientDocument("en")), unwanted) {
			t.Errorf("the document has %s", unwanted)
		}
	}
}

// TestExtensions: the extensions are in the document for clients, marked, and in nothing else: without them it is the
// document of a facade that has them switched off, and the specification never has them.
func TestExtensions(t *testing.T) {
	for _, e := range mapping.Table {
		for _, p := range e.Extensions {
			if strings.Contains(string(document("en")), `"`+p.Text+`"`) {
				t.Errorf("the specification has %s", p.Name)
			}
		}
	}
	doc := parse(t, clientDocument("en"))
	for _, path := range member(doc, "paths").(object) {
		for _, operation := range path.(object) {
			e := mappingtest.Row(t, strings.Replace(member(operation, "operationId").(string), "namespace", "index", 1))
			var names []string
			var others []any
			for _, parameter := range member(operation, "parameters").([]any) {
				_, key, _ := strings.Cut(member(parameter, "$ref").(string), "#/components/parameters/")
				if p := member(doc, "components", "parameters", key).(object); p["x-extension"] == true {
					names = append(names, p["name"].(string))
				} else {
					others = append(others, parameter)
				}
			}
			operation.(object)["parameters"] = others
			var want []string
			for _, p := range e.Extensions {
				want = append(want, p.Name)
			}
			if e.Action == mapping.Create {
				want = append(want, "Idempotency-Key")
			}
			if diff := cmp.Diff(want, names); diff != "" {
				t.Errorf("%s: extensions (-table +document):\n%s", e.Name(), diff)
			}
		}
	}
	components := member(doc, "components", "parameters").(object)
	failure := member(doc, "components", "responses", "ErrorResult").(object)
	failure["x-codes"] = slices.DeleteFunc(failure["x-codes"].([]any), func(code any) bool {
		return strings.HasPrefix(code.(string), "calendar_idempotency_")
	})
	maps.DeleteFunc(components, func(_ string, p any) bool { return p.(object)["x-extension"] == true })
	if diff := cmp.Diff(parse(t, openapi.ClientDocument(base, "en", i18n.Catalog("en"), false)), doc); diff != "" {
		t.Errorf("without its extensions the document differs (-off +on):\n%s", diff)
	}
}

// TestClientFormIsSmall: the code of generators is in proportion.
func TestClientFormIsSmall(t *testing.T) {
	if full, reduced := len(document("en")), len(clientDocument("en")); reduced > full*2/3 {
		t.Errorf("%d bytes, and the complete document has %d", reduced, full)
	}
}

// TestIntegers: IDs of responses fit the parameters of requests.
func TestIntegers(t *testing.T) {
	var walk func(v any, place string)
	walk = func(v any, place string) {
		switch v := v.(type) {
		case []any:
			for i, inner := range v {
				walk(inner, place+"/"+strconv.Itoa(i))
			}
		case object:
			types, _ := v["type"].([]any)
			if (v["type"] == "integer" || slices.Contains(types, any("integer"))) && v["format"] != "int64" {
				t.Errorf("%s: an integer of format %v", place, v["format"])
			}
			for name, inner := range v {
				walk(inner, place+"/"+name)
			}
		}
	}
	doc := parsed(t)
	for _, kind := range []string{"parameters", "schemas"} {
		walk(member(doc, "components", kind), kind)
	}
}

// TestInfo: the title and the version, but no license: whose API it is, the program does not know.
func TestInfo(t *testing.T) {
	info := member(parsed(t), "info").(object)
	if info["title"] == "" || info["version"] != "1" || info["license"] != nil {
		t.Errorf("info is %v", info)
	}
}

// TestDefaultsAreTold: the complete document has every default of the table, and null where it
// is accepted.
func TestDefaultsAreTold(t *testing.T) {
	doc := parsed(t)
	nulls := map[string]bool{}
	for _, e := range mapping.Table {
		for _, p := range e.Fields {
			for _, method := range e.Methods {
				path := member(doc, "paths", e.Path, strings.ToLower(method), "requestBody", "content", "application/json", "schema")
				schema := resolved(doc, path)
				field := member(schema, "properties", p.Name).(object)
				value, present := field["default"]
				switch {
				case p.Null && e.AcceptsNull(p):
					nulls[e.Resource+"."+p.Name] = present && value == nil
				case present != (p.Default != ""):
					t.Errorf("%s %s: default %v of %s, the table has %q", method, e.Path, value, p.Name, p.Default)
				}
			}
		}
	}
	if len(nulls) != 27 || slices.Contains(slices.Collect(maps.Values(nulls)), false) {
		t.Errorf("fields whose default is null: %v", nulls)
	}
}

// TestExamplesOfUpdates: an example of an update, which the page for people sends, changes one
// field.
func TestExamplesOfUpdates(t *testing.T) {
	doc := parsed(t)
	for _, e := range mapping.Table {
		if e.Action == mapping.Update {
			example := member(doc, "paths", e.Path, "patch", "requestBody", "content", "application/json", "example")
			if fields, _ := example.(object); len(fields) != 1 {
				t.Errorf("%s: the example is %v", e.Name(), example)
			}
		}
	}
}
