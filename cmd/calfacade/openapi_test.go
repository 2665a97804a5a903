package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/openapi"
)

// TestOpenAPIYAML: YAML and JSON have the same content and types.
func TestOpenAPIYAML(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	documents := map[string][]byte{"client": openapi.ClientDocument("/", "en", i18n.Catalog("en"))}
	for _, code := range i18n.Codes {
		documents[code] = openapi.Document("/", code, i18n.Catalog(code))
	}
	for code, document := range documents {
		var out bytes.Buffer
		if err := printDocument(&out, document, true); err != nil {
			t.Fatal(err)
		}
		var fromYAML, fromJSON any
		if err := yaml.Unmarshal(out.Bytes(), &fromYAML); err != nil {
			t.Fatal(code, err)
		}
		if err := json.Unmarshal(document, &fromJSON); err != nil {
			t.Fatal(code, err)
		}
		again, err := json.Marshal(fromYAML)
		if err != nil {
			t.Fatal(code, err)
		}
		var got any
		if err := json.Unmarshal(again, &got); err != nil {
			t.Fatal(code, err)
		}
		if diff := cmp.Diff(fromJSON, got); diff != "" {
			t.Errorf("%s (-JSON +YAML):\n%s", code, diff)
		}
	}
}
