//go:build !race

package docs_test

import (
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/openapi"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/getkin/kin-openapi/openapi3"
)

// TestOpenAPIIsValid validates both documents in every language, and compares the examples with their
// schemas. A linter with a parser of its own reads them in .ci/run.
func TestOpenAPIIsValid(t *testing.T) {
	for _, code := range i18n.Codes {
		for _, document := range [][]byte{facadetest.OpenAPI(code), openapi.ClientDocument(facadetest.PublicURL, code, i18n.Catalog(code), true)} {
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
