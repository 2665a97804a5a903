package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/openapi"
)

// namedError is a status with a code of calfacade, as documents name them.
var namedError = regexp.MustCompile("\\b(\\d{3}) `(calendar_[a-z_]+)`")

// TestDocumentErrors: the errors of docs/api.md have the statuses that the OpenAPI
// document returns them. 405 is of no operation. Other documents name errors of that page.
func TestDocumentErrors(t *testing.T) {
	page, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{} // of "504 code"
	row := regexp.MustCompile("(?m)^\\| ([0-9, ]+) \\| (`[^|]+`) \\|")
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		for _, status := range strings.Split(m[1], ", ") {
			for _, code := range strings.Split(m[2], ", ") {
				documented[status+" "+strings.Trim(code, "`")] = true
			}
		}
	}
	for name, text := range documents(t) {
		for _, m := range namedError.FindAllStringSubmatch(text, -1) {
			if name != "CHANGELOG.md" && !documented[m[1]+" "+m[2]] {
				t.Errorf("%s: %s has no %s %s", name, apiFile, m[1], m[2])
			}
		}
	}
	var doc struct {
		Components struct {
			Responses map[string]struct {
				Codes []string `json:"x-codes"`
			}
		}
	}
	if err := json.Unmarshal(openapi.Document("/", "en", i18n.Catalog("en")), &doc); err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for status, response := range doc.Components.Responses {
		for _, code := range response.Codes {
			described[status+" "+code] = true
			if openapi.OwnCode(code) && strings.Contains(code, "calendar_") && !documented[status+" "+code] {
				t.Errorf("%s %s is not in %s", status, code, apiFile)
			}
		}
	}
	if len(documented) < 30 {
		t.Fatalf("only %d errors in %s", len(documented), apiFile)
	}
	for pair := range documented {
		if status, code, _ := strings.Cut(pair, " "); strings.HasPrefix(code, "calendar_") && !described[pair] {
			t.Errorf("%s: the OpenAPI document has no %s for %s", apiFile, code, status)
		}
	}
}
