package mapping

import (
	"net/http"
	"strings"
	"testing"
)

// TestBodyOfRead: a read ignores the values of a body, but its names may be faults.
func TestBodyOfRead(t *testing.T) {
	body, err := DecodeJSON([]byte(`{"colour":"blue"}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse(row(t, "events.list"), http.MethodGet, Input{Body: body}, Reject)
	if got, want := reasons(err), "colour:unknown"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestQueryLanguage(t *testing.T) {
	for query, want := range map[string]string{
		"":                                    "",
		"page=1&i18n_language=fr":             "fr",
		"i18n_language=fr&i18n_language=es":   "es",
		"i18n%5Flanguage=fr":                  "fr",
		"i18n_language=%65s":                  "es",
		"i18n_language=xx":                    "",
		"i18n_language[]=fr":                  "",
		"i18n_language2=fr&search=%69anguage": "",
		"i18n_language%=fr":                   "",
	} {
		q, err := DecodeForm(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := (Input{Query: q}).Language(); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

// FuzzCanonical normalizes the canonical form of each value again: it must not change.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"", "0", "02", "+5", "-1", "50", "51", "1.50", "1e1", "73786976294838206465", "yes", "fr", "x y", "x\x00",
		"\u00e9", "now", "2026-11-21", "2026-02-30",
		"2026-11-21T10:00:00+02:00", "1970-01-01", "tomorrow", "07, 3", "b,a,b", "12,7,12", "a b", "a/b", ",", strings.Repeat("x", 1001)} {
		f.Add(s)
	}
	params := []*Param{{Name: "bounded", Kind: Integer, Min: 5, Max: 20}}
	for _, e := range Table {
		for _, p := range e.Args {
			if p.In == InQuery {
				params = append(params, p)
			}
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range params {
			v, fault := p.normalize(&Node{kind: rawText, text: s})
			if fault != nil || !v.present() {
				continue
			}
			again, fault := p.normalize(&Node{kind: rawText, text: v.text})
			if fault != nil || again != v {
				t.Errorf("%s=%q is %q, and that %q (%v)", p.Name, s, v.text, again.text, fault)
			}
		}
	})
}
