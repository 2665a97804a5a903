package openapi

import (
	"strings"
	"testing"
)

// TestIndexNamesLanguage: so do the links that the facade tells of itself.
func TestIndexNamesLanguage(t *testing.T) {
	body := string(Description{Base: "B", Up: "U", Naming: "?i18n_language=es", Texts: silent{}}.Index())
	for _, want := range []string{`{"href":"B/events?i18n_language=es"}`, `{"href":"U/?i18n_language=es"}`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in the index", want)
		}
	}
}

// silent is a catalog of which no word matters.
type silent struct{}

func (silent) Text(string, map[string]string) string { return "" }

func (silent) Join([]string) string { return "" }
