package main

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/openapi"
)

const apiFile = "docs/api.md"

var (
	// namedError is a status with a code of calfacade, as documents name them.
	namedError = regexp.MustCompile("\\b(\\d{3}) `(calendar_[a-z_]+)`")
	// errorRow is a row of the errors in docs/api.md.
	errorRow = regexp.MustCompile("(?m)^\\| ([0-9, ]+) \\| (`[^|]+`) \\|")
)

// checkErrors compares the errors of docs/api.md with the OpenAPI document, and the errors that documents name with that page.
func checkErrors(module tree, r *report) { compareErrors(module, describedErrors(r), r) }

func compareErrors(module tree, described map[string]bool, r *report) {
	documented := map[string]int{} // lines, by "504 code"
	for _, m := range matches(errorRow, module.texts[apiFile]) {
		for status := range strings.SplitSeq(m.groups[1], ", ") {
			for code := range strings.SplitSeq(m.groups[2], ", ") {
				documented[status+" "+strings.Trim(code, "`")] = m.line
			}
		}
	}
	r.checked = len(documented)
	for file, text := range module.documents() {
		for _, m := range matches(namedError, text) {
			name := m.groups[1] + " " + m.groups[2]
			if file != changelogFile && documented[name] == 0 {
				r.add(file, m.line, "%s has no %s", apiFile, name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(described)) {
		_, code, _ := strings.Cut(name, " ")
		if openapi.OwnCode(code) && strings.Contains(code, "calendar_") && documented[name] == 0 {
			r.add(apiFile, 1, "there is no %s", name)
		}
	}
	for name, line := range documented {
		if strings.Contains(name, " calendar_") && !described[name] {
			r.add(apiFile, line, "the OpenAPI document has no %s", name)
		}
	}
}

// describedErrors returns the errors of the OpenAPI document, as "504 code".
func describedErrors(r *report) map[string]bool {
	var document struct {
		Components struct {
			Responses map[string]struct {
				Codes []string `json:"x-codes"`
			}
		}
	}
	model := openapi.Model("/", "en", i18n.Catalog("en"), openapi.Form{Extensions: true})
	if err := json.Unmarshal(mapping.EncodeJSON(model), &document); err != nil {
		r.add(apiFile, 1, "the OpenAPI document: %v", err)
	}
	described := map[string]bool{}
	for status, response := range document.Components.Responses {
		for _, code := range response.Codes {
			described[status+" "+code] = true
		}
	}
	return described
}
