//go:build !race

package proxy_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/openapi"
)

// TestOpenAPIIsValid validates both documents in every language, and compares the examples with their
// schemas. A linter with a parser of its own reads them in .ci/run.
func TestOpenAPIIsValid(t *testing.T) {
	for _, code := range i18n.Codes {
		for _, document := range [][]byte{openAPI(code), openapi.ClientDocument(publicURL, code, i18n.Catalog(code))} {
			loaded, err := openapi3.NewLoader().LoadFromData(document)
			if err != nil {
				t.Fatal(code, err)
			}
			if err := loaded.Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
				t.Errorf("%s: %v", code, err)
			}
		}
	}
}
