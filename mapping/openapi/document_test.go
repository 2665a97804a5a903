package openapi_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/openapi"
)

const base = "https://api.example.org/wp-json/" + mapping.Namespace

func document(code string) []byte { return openapi.Document(base, code, i18n.Catalog(code)) }

func clientDocument(code string) []byte {
	return openapi.ClientDocument(base, code, i18n.Catalog(code), true)
}

// TestOpenAPIIsTheSameInAllLanguages but for texts that people read: texts, examples,
// and the name of the language.
func TestOpenAPIIsTheSameInAllLanguages(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	for _, document := range []func(string) []byte{document, clientDocument} {
		want := skeleton(t, document("en"))
		for _, code := range i18n.Codes {
			if !bytes.Equal(document(code), document(code)) {
				t.Errorf("%s: not the same twice", code)
			}
			if got := skeleton(t, document(code)); got != want {
				t.Errorf("%s: differs from English in more than texts", code)
			}
			if code != "en" && bytes.Equal(document(code), document("en")) {
				t.Errorf("%s: the texts are English", code)
			}
		}
	}
}

func skeleton(t *testing.T, document []byte) string {
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(withoutTexts(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func withoutTexts(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			_, text := inner.(string)
			switch {
			case text && slices.Contains([]string{"description", "summary", "title", "x-language"},
				name), name == "example", name == "examples":
				delete(v, name)
			default:
				v[name] = withoutTexts(inner)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutTexts(v[i])
		}
	}
	return v
}
