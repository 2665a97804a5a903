package mapping

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// FuzzParse: what is accepted is a fixed point (its canonical form parses to the
// same call), and nothing but the table's names reaches the legacy.
func FuzzParse(f *testing.F) {
	for i := range Table {
		for _, p := range Table[i].Args() {
			for _, v := range []string{"1", "0", "-1", "true", "a,b", "1,2", "now", "2026-11-21T10:00:00Z", "es", "%ff", "%00", ""} {
				f.Add(i, p.Name+"="+v)
			}
			f.Add(i, p.Name+"[]=2&"+p.Name+"[0]=1&"+p.Name+"[x][y]=3&"+p.Name+"=4&"+p.Name+"=5")
		}
	}
	for _, v := range []string{
		"0", "-1", "@0", "1970-01-01", "2026-W47", "2026-11", "21-11-2026", "2026-12-31T24:00Z", "10:00", "2026-11-21 CET", "2026-11-21 10:00 gmt+2",
		"Tomorrow 10:00 America/Port-au-Prince",
	} {
		f.Add(2, "start_date="+url.QueryEscape(v))
		f.Add(2, "strict_dates=1&ends_after="+url.QueryEscape(v))
	}
	f.Add(2, "page=1e1&per_page=+2.0&tags[a]=1&tags[]=2&tags[]=3&tags[a]=4")
	f.Add(2, "id=5&slug=x&_method=DELETE&rest_route=/wp/v2/users&_fields=id&password=p")
	f.Fuzz(func(t *testing.T, row int, query string) {
		if row < 0 || row >= len(Table) {
			return
		}
		e := &Table[row]
		call := accepted(t, e, query)
		if call == nil {
			return
		}
		again := accepted(t, e, call.Canonical())
		if call.Secret() || len(call.Fields) > 0 {
			return // neither is in the canonical form
		}
		if again == nil || again.Canonical() != call.Canonical() || again.Key("en") != call.Key("en") {
			t.Fatalf("%s?%s: %s parses to %v", e.Name(), query, call.Canonical(), again)
		}
		checkTranslation(t, call, query)
	})
}

func accepted(t *testing.T, e *Endpoint, query string) *Call {
	t.Helper()
	node, err := DecodeQuery(query)
	if err != nil {
		return nil
	}
	call, err := Parse(e, e.Methods[0], Input{Item: "5", Query: node}, Drop)
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
	request := Backend{Dialect: Tribe, LanguageParam: "wpml_language"}.Translate(call, call.Language)
	if want := "/tribe/events/v1" + call.Path(); request.Path != want {
		t.Fatalf("path %s, want %s", request.Path, want)
	}
	for pair := range strings.SplitSeq(request.Query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		known := name == "" || name == "wpml_language"
		for i := range call.Endpoint.Params {
			p := &call.Endpoint.Params[i]
			known = known || p.Name == name && p.In == InQuery
		}
		if !known {
			t.Fatalf("%s?%s: the legacy is sent %s", call.Endpoint.Name(), query, name)
		}
	}
}

// FuzzParseBody: no body makes Parse panic, and what is accepted goes to the
// legacy as one JSON object of fields.
func FuzzParseBody(f *testing.F) {
	for i := range Table {
		for _, p := range Table[i].Args() {
			for _, v := range []string{`1`, `"1"`, `true`, `null`, `[1,"a"]`, `{"id":5}`, `[{"organizer":"x"}]`, `1e400`, `"\ud800"`} {
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
		call, err := Parse(&Table[row], Table[row].Methods[0], Input{Item: "5", Body: node}, Reject)
		if err != nil {
			return
		}
		sent := Backend{Dialect: Tribe}.Translate(call, "").Body
		if sent != nil && !json.Valid(sent) {
			t.Fatalf("%s: sends %s", body, sent)
		}
	})
}

// FuzzRewrite: valid JSON stays valid, everything else is refused, a body without
// the legacy's names comes out byte for byte, and any other as the reference has it.
func FuzzRewrite(f *testing.F) {
	const link = `https:\/\/legacy.example\/blog\/wp-json\/tribe\/events\/v1\/events\/1`
	for i := range Table {
		f.Add(i, 200, []byte(`{"id":1,"rest_url":"`+link+`","urls":{"self":"`+link+`"},"_links":{"self":[{"href":"`+link+`"}]},"url":"http://legacy.example/blog/?post_type=tribe_events&p=1","taxonomy":"tribe_events_cat"}`))
	}
	f.Add(2, 200, []byte(`{"events":[{"title":"`+link+`","website":"`+link+`","image":false,"venue":[],"json_ld":{"url":"x"}}],"next_rest_url":"x"}`))
	f.Add(4, 200, []byte(`{"rest_url":"`+link+`","rest_url":"`+link+`0?a=1","rest_url":"`+link+`-2","rest_url":"https://legacy.example/blog/wp-json/tribe/events/v1/x"}`))
	f.Add(4, 200, legacyEvent(5))
	f.Add(4, 200, []byte(`{"rest_url":"\/\/legacy.example:443\/blog\/index.php?a=1&rest_route=%2Ftribe%2Fevents%2Fv1%2Fx","x":"HTTPS:\u002f\u002flegacy.example\u002fblog?rest_route=\u0026","url":"http://legacy.example/blog/?a=1\u0026post_type=tribe_events&#038;p=1","website":"\u0026"}`))
	f.Add(4, 404, []byte(`{"message":"see \"http:\/\/legacy.example\/blog\/wp-json\/\" \\\/ //10.0.0.1\u002ftribe\u002fevents\u002fv1.","x":["tribe\/events\/v1",":\/\/"]}`))
	f.Add(2, 400, []byte(`{"code":"rest_invalid_param","message":"wpml_language","data":{"params":{"wpml_language":"x"}}}`))
	f.Add(2, 200, []byte("{\"a\":1.0e2,\"\\u0061\":\"\\ud83c\\udf89\" } \n"))
	f.Fuzz(func(t *testing.T, row, status int, body []byte) {
		if row < 0 || row >= len(Table) {
			return
		}
		e := &Table[row]
		call := &Call{Endpoint: e, Method: http.MethodGet, Item: "5"}
		r := testRewriter("")
		got, err := r.Rewrite(call, 1, status, body)
		usable := status >= http.StatusBadRequest || jsonscan.IsObject(body)
		if valid := usable && jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true)); valid != (err == nil) {
			t.Fatalf("%s: valid %t, got %v", body, valid, err)
		}
		if err != nil {
			return
		}
		if !json.Valid(got.Body) {
			t.Fatalf("%s becomes %s", body, got.Body)
		}
		if status < http.StatusBadRequest {
			want := &reference{rewriter: r, call: call, root: 1, dec: jsonscan.NewDecoder(body)}
			compact := jsontext.Value(bytes.Clone(got.Body))
			if err := compact.Compact(jsontext.AllowDuplicateNames(true)); err != nil {
				t.Fatal(err)
			}
			if want := want.value(&Attribute{Class: Object, Shape: e.Result}, &item{}); !bytes.Equal(want, compact) {
				t.Fatalf("%s becomes %s, want %s", body, compact, want)
			}
		}
		names := []string{"rest_url", "_links", "urls", "self", "up", "collection", "tribe", "legacy", "wpml", `\u`, "calendar"}
		for _, name := range names {
			if bytes.Contains(bytes.ToLower(body), []byte(name)) {
				return
			}
		}
		if !bytes.Equal(got.Body, body) {
			t.Fatalf("%s becomes %s", body, got.Body)
		}
	})
}
