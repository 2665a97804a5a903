package openapi

import (
	"strings"
	"testing"
	"time"
)

// TestIndexNamesLanguage: so do the links in the facade's own description.
func TestIndexNamesLanguage(t *testing.T) {
	body := string(Description{Base: "B", Naming: "?i18n_language=es", Texts: silent{}}.Index())
	for _, want := range []string{`{"href":"B/events?i18n_language=es"}`, `"_links":{"self":[{"href":"B?i18n_language=es"}]}}`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in the index", want)
		}
	}
}

// TestIndexTypes: the index has a type for every parameter that has one, whether or not the
// legacy names it.
func TestIndexTypes(t *testing.T) {
	body := string(Description{Base: "B", Texts: silent{}, Now: time.Unix(0, 0)}.Index())
	for _, want := range []string{
		`"starts_before":{"type":"string","description"`,
		`"start_date":{"type":"string","default"`,
		`"strict_dates":{"type":"boolean","default":false,`,
		`"venue":{"type":"array","items":{"type":"integer"},"default":null,`,
		`"organizer":{"type":"array","items":{"type":"integer"},"default":null,`,
		`"cost":{"description"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in the index", want)
		}
	}
}

// silent is a catalog with arbitrary words.
type silent struct{}

func (silent) Text(string, map[string]string) string { return "" }

func (silent) Join([]string) string { return "" }
