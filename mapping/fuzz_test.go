package mapping

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// FuzzParse: an accepted query is a fixed point (its canonical form parses to the
// same call), and only names of the table reach the legacy.
func FuzzParse(f *testing.F) {
	for i, e := range Table {
		for _, p := range slices.Concat(e.Args, e.Extensions) {
			for _, v := range []string{"1", "0", "-1", "true", "a,b", "1,2", "now", "2026-11-21T10:00:00Z", "es", "%ff", "%00", "",
				"100%", "%zz",
				"\xe9", ",1,"} {
				f.Add(i, p.Name+"="+v)
			}
			f.Add(i, p.Name+"[]=2&"+p.Name+"[0]=1&"+p.Name+"[x][y]=3&"+p.Name+"=4&"+p.Name+"=5")
		}
	}
	for _, v := range []string{
		"0", "-1", "@0", "1970-01-01", "2026-W47", "2026-11", "21-11-2026", "2026-12-31T24:00Z", "10:00", "2026-11-21 CET",
		"2026-11-21 10:00 gmt+2",
		"Tomorrow 10:00 America/Port-au-Prince",
	} {
		f.Add(2, "start_date="+url.QueryEscape(v))
		f.Add(2, "strict_dates=1&ends_after="+url.QueryEscape(v))
	}
	f.Add(2, "page=1e1&per_page=+2.0&tags[a]=1&tags[]=2&tags[]=3&tags[a]=4")
	f.Add(2, "fields=venue.venue,id,venue,id,image.sizes.a.b.url,image.sizes.a.url&texts=plain")
	f.Add(2, "id=5&slug=x&_method=DELETE&rest_route=/wp/v2/users&_fields=id&password=p")
	f.Fuzz(func(t *testing.T, row int, query string) {
		if row < 0 || row >= len(Table) {
			return
		}
		e := Table[row]
		call := accepted(t, e, query)
		if call == nil {
			return
		}
		again := accepted(t, e, call.Canonical())
		if call.Secret() || len(call.Fields) > 0 {
			return // neither is in the canonical form
		}
		if again == nil || again.Canonical() != call.Canonical() || again.Key("s", "en") != call.Key("s", "en") {
			t.Fatalf("%s?%s: %s parses to %v", e.Name(), query, call.Canonical(), again)
		}
		checkTranslation(t, call, query)
	})
}

func accepted(t *testing.T, e *Endpoint, query string) *Call {
	t.Helper()
	node, err := DecodeForm(query)
	if err != nil {
		return nil
	}
	call, err := Parse(e, e.Methods[0], Input{Item: "5", Query: node, Extensions: true}, Drop)
	if err != nil {
		if faults := err.(Faults); len(faults) == 0 {
			t.Fatal("an error without a fault")
		}
		return nil
	}
	return call
}

func checkTranslation(t *testing.T, call *Call, query string) {
	t.Helper()
	request := API{Dialect: plain, LanguageParam: "wpml_language"}.Translate(call, call.Language)
	if want := "/plain/v1" + call.Path(); request.Path != want {
		t.Fatalf("path %s, want %s", request.Path, want)
	}
	for pair := range strings.SplitSeq(request.Query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		expected := name == "" || name == "wpml_language"
		for _, p := range call.Endpoint.Params {
			expected = expected || p.Name == name && p.In == InQuery
		}
		if !expected {
			t.Fatalf("%s?%s: the legacy is sent %s", call.Endpoint.Name(), query, name)
		}
	}
}

// FuzzParseBody: no body makes Parse panic, and an accepted one is sent to the legacy
// as one JSON object of fields.
func FuzzParseBody(f *testing.F) {
	for i, e := range Table {
		for _, p := range e.Args {
			for _, v := range []string{`1`, `"1"`, `true`, `null`, `[1,"a"]`, `{"id":5}`, `[{"organizer":"x"}]`, `1e400`, `1.0`,
				`[1e1]`, `{"x":1}`,
				`"\ud800"`} {
				f.Add(i, []byte(`{"`+p.Name+`":`+v+`}`))
			}
		}
	}
	f.Fuzz(func(t *testing.T, row int, body []byte) {
		if row < 0 || row >= len(Table) || !Table[row].Writes() {
			return
		}
		node, err := DecodeJSON(body)
		if err != nil {
			return
		}
		call, err := Parse(Table[row], Table[row].Methods[0], Input{Item: "5", Body: node}, Reject)
		if err != nil {
			return
		}
		translated := API{Dialect: plain}.Translate(call, "").Body
		if translated != nil && !json.Valid(translated) {
			t.Fatalf("%s: sends %s", body, translated)
		}
	})
}
