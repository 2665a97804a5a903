package openapi_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
)

// sample is a value for a parameter, and whether its schema allows it.
type sample struct {
	value   any
	allowed bool
}

// samples are values at the bounds of a schema, and beyond them.
func samples(schema object) []sample {
	var list []sample
	bound := func(name string, make func(n float64) any, step float64) {
		if n, ok := schema[name].(float64); ok {
			list = append(list,
				sample{value: make(n), allowed: true},
				sample{value: make(n + step), allowed: false},
			)
		}
	}
	number := func(n float64) any { return n }
	bound("minimum", number, -1)
	bound("maximum", number, 1)
	text := func(n float64) any { return strings.Repeat("é", int(n)) }
	bound("minLength", text, -1)
	bound("maxLength", text, 1)
	bound("maxItems", func(n float64) any {
		items := make([]any, int(n))
		for i := range items {
			items[i] = float64(i + 1)
		}
		return items
	}, 1)
	if words, ok := schema["enum"].([]any); ok {
		for _, word := range words {
			list = append(list, sample{value: word, allowed: true})
		}
		list = append(list, sample{value: "xx", allowed: false}, sample{value: "", allowed: false})
	}
	const far = 2_000_000_000.0
	without := func(name string, value any) {
		if schema[name] == nil {
			list = append(list, sample{value: value, allowed: true})
		}
	}
	switch schema["type"] {
	case "integer":
		list = append(list, sample{value: "x", allowed: false}, sample{value: 1.5, allowed: false})
		without("minimum", -far)
		without("maximum", far)
	case "number":
		list = append(list, sample{value: "x", allowed: false}, sample{value: 1.5, allowed: true})
		without("minimum", -far)
		without("maximum", far)
	case "boolean":
		list = append(list, sample{value: true, allowed: true}, sample{value: false, allowed: true})
	case "string":
		if schema["maxLength"] == nil && schema["enum"] == nil && schema["minLength"] != nil {
			list = append(list, sample{value: strings.Repeat("x", 100_000), allowed: true})
		}
	}
	return list
}

// refuses reports whether the error has a fault of a parameter.
func refuses(err error, name string) bool {
	var faults mapping.Faults
	return errors.As(err, &faults) && slices.ContainsFunc(faults, func(f mapping.Fault) bool { return f.Param == name })
}

// TestParametersAreEnforced: the parser accepts and refuses the same values as the schema of each
// parameter of a query does.
func TestParametersAreEnforced(t *testing.T) {
	doc := parsed(t)
	checked := 0
	for _, e := range mapping.Table {
		if e.Writes() {
			continue
		}
		operation := member(doc, "paths", "/"+strings.TrimPrefix(e.Path, "/"), "get").(object)
		for _, v := range operation["parameters"].([]any) {
			p := resolved(doc, v)
			if p["in"] != "query" {
				continue
			}
			name := p["name"].(string)
			schema := resolved(doc, p["schema"])
			for _, s := range samples(schema) {
				checked++
				_, err := mappingtest.ParseQuery(t, e.Name(), name+"="+url.QueryEscape(queryText(s.value)))
				if refuses(err, name) == s.allowed {
					t.Errorf("%s?%s=%.40s: the document allows it: %t; faults: %v", e.Name(), name, queryText(s.value), s.allowed, err)
				}
			}
			checkDefault(t, e, name, schema)
		}
	}
	if checked < 250 {
		t.Errorf("only %d values checked", checked)
	}
}

// checkDefault: a query with the documented default is the same call as one without.
func checkDefault(t *testing.T, e *mapping.Endpoint, name string, schema object) {
	t.Helper()
	value, ok := schema["default"]
	if !ok {
		return
	}
	without, err := mappingtest.ParseQuery(t, e.Name(), "")
	if err != nil {
		t.Fatal(err)
	}
	call, err := mappingtest.ParseQuery(t, e.Name(), name+"="+url.QueryEscape(queryText(value)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(without.Canonical(), call.Canonical()); diff != "" {
		t.Errorf("%s: the default of %s is not %v (-without +with):\n%s", e.Name(), name, value, diff)
	}
}

func queryText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	texts := []string{}
	for _, inner := range v.([]any) {
		texts = append(texts, queryText(inner))
	}
	return strings.Join(texts, ",")
}

// TestFieldsAreEnforced: likewise the fields of a new item, in JSON.
func TestFieldsAreEnforced(t *testing.T) {
	doc := parsed(t)
	checked := 0
	for _, e := range mapping.Table {
		if e.Action != mapping.Create {
			continue
		}
		operation := member(doc, "paths", e.Path, "post").(object)
		body := resolved(doc, member(operation, "requestBody", "content", "application/json", "schema"))
		for name, v := range member(body, "properties").(object) {
			for _, s := range samples(resolved(doc, v)) {
				checked++
				data, err := json.Marshal(object{name: s.value})
				if err != nil {
					t.Fatal(err)
				}
				_, err = mappingtest.ParseBody(t, e.Name(), "", "", string(data))
				if refuses(err, name) == s.allowed {
					t.Errorf("%s %.60s: the document allows it: %t; faults: %v", e.Name(), data, s.allowed, err)
				}
			}
		}
	}
	if checked < 130 {
		t.Errorf("only %d values checked", checked)
	}
}

// untyped reports whether the contract gives a field no type.
func untyped(e *mapping.Endpoint, name string) bool {
	return slices.ContainsFunc(e.Fields, func(p *mapping.Param) bool { return p.Name == name && p.Kind == mapping.Untyped })
}

// TestNullAndBooleansAreEnforced: the parser accepts null, true and false for the fields of
// each write where the document allows them, and nowhere else.
func TestNullAndBooleansAreEnforced(t *testing.T) {
	doc := parsed(t)
	checked := 0
	for _, e := range mapping.Table {
		if len(e.Fields) == 0 {
			continue
		}
		operation := member(doc, "paths", e.Path, strings.ToLower(e.Methods[0])).(object)
		body := resolved(doc, member(operation, "requestBody", "content", "application/json", "schema"))
		for name, v := range member(body, "properties").(object) {
			schema := resolved(doc, v)
			for value, kind := range map[string]string{"null": "null", "true": "boolean", "false": "boolean"} {
				if kind == "boolean" && untyped(e, name) {
					continue // goes to the site, which takes a URL
				}
				checked++
				_, err := mappingtest.ParseBody(t, e.Name(), "5", "", `{"`+name+`":`+value+`}`)
				if allowed := hasType(schema, kind); refuses(err, name) == allowed {
					t.Errorf("%s %s: %s: the document allows it: %t; faults: %v", e.Name(), name, value, allowed, err)
				}
			}
			if value, ok := schema["default"]; ok && value == nil && !hasType(schema, "null") {
				t.Errorf("%s %s: the default is null, which is not allowed", e.Name(), name)
			}
		}
	}
	if checked < 500 {
		t.Errorf("only %d values checked", checked)
	}
}

// hasType reports whether a schema allows a type.
func hasType(schema object, name string) bool {
	switch kind := schema["type"].(type) {
	case string:
		return kind == name
	case []any:
		return slices.Contains(kind, any(name))
	}
	choices, _ := schema["oneOf"].([]any)
	return slices.ContainsFunc(choices, func(choice any) bool {
		inner, ok := choice.(object)
		return ok && hasType(inner, name)
	})
}

// TestEnumsAreClosed: an enum has no null, which generators cannot express, and no value
// beside it is accepted: a plugin of the site can add a status.
func TestEnumsAreClosed(t *testing.T) {
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case object:
			if words, ok := v["enum"].([]any); ok && (slices.Contains(words, any(nil)) || v["x-open-enum"] != nil) {
				t.Errorf("%s: enum %v", path, words)
			}
			for name, inner := range v {
				walk(path+"/"+name, inner)
			}
		case []any:
			for _, inner := range v {
				walk(path, inner)
			}
		}
	}
	walk("", parsed(t))
	walk("client", parse(t, clientDocument("en")))
	for _, name := range []string{"EventsCreate", "VenuesUpdate", "OrganizersUpdateBySlug"} {
		status := member(parsed(t), "components", "schemas", name, "properties", "status").(object)
		examples, _ := status["examples"].([]any)
		if status["enum"] != nil || len(examples) < 6 {
			t.Errorf("%s: status is %v", name, status)
		}
	}
}
