package rewrite

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
)

// lenient accepts JSON as sites send it: repeated names, and unpaired surrogates.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// FuzzRewrite: valid JSON remains valid, everything else is refused, a body without the legacy's
// names does not change, and any other body becomes the result of the reference.
func FuzzRewrite(f *testing.F) {
	const link = `https:\/\/legacy.example\/blog\/wp-json\/tribe\/events\/v1\/events\/1`
	for i := range mapping.Table {
		f.Add(i, 200, []byte(`{"id":1,"rest_url":"`+link+`","urls":{"self":"`+link+`"},"_links":{"self":[{"href":"`+link+
			`"}]},"url":"http://legacy.example/blog/?post_type=tribe_events&p=1","taxonomy":"tribe_events_cat"}`))
	}
	f.Add(2, 200, []byte(`{"events":[{"title":"`+link+`","website":"`+link+
		`","image":false,"venue":[],"json_ld":{"url":"x"}}],"next_rest_url":"x"}`))
	f.Add(4, 200, []byte(`{"rest_url":"`+link+`","rest_url":"`+link+`0?a=1","rest_url":"`+link+
		`-2","rest_url":"https://legacy.example/blog/wp-json/tribe/events/v1/x"}`))
	f.Add(4, 200, legacyEvent(5))
	f.Add(4, 200,
		[]byte(`{"rest_url":"\/\/legacy.example:443\/blog\/index.php?a=1&rest_route=%2Ftribe%2Fevents%2Fv1%2Fx",`+
			`"x":"HTTPS:\u002f\u002flegacy.example\u002fblog?rest_route=\u0026",`+
			`"url":"http://legacy.example/blog/?a=1\u0026post_type=tribe_events&#038;p=1","website":"\u0026"}`))
	f.Add(4, 404,
		[]byte(`{"message":"see \"http:\/\/legacy.example\/blog\/wp-json\/\" \\\/ `+
			`//10.0.0.1\u002ftribe\u002fevents\u002fv1.","x":["tribe\/events\/v1",":\/\/"]}`))
	f.Add(2, 400, []byte(`{"code":"rest_invalid_param","message":"wpml_language","data":{"params":{"wpml_language":"x"}}}`))
	f.Add(2, 200, []byte("{\"a\":1.0e2,\"\\u0061\":\"\\ud83c\\udf89\" } \n"))
	f.Add(2, 337, []byte(`{"":"\ud800"}`))
	f.Fuzz(func(t *testing.T, row, status int, body []byte) {
		if row < 0 || row >= len(mapping.Table) {
			return
		}
		e := mapping.Table[row]
		call := &mapping.Call{Endpoint: e, Method: http.MethodGet, Item: "5"}
		r := testRewriter("")
		got, err := r.Rewrite(t.Context(), call, 1, status, body)
		usable := status >= http.StatusBadRequest || bytes.HasPrefix(bytes.TrimSpace(body), []byte("{"))
		if valid := usable && utf8.Valid(body) && jsontext.Value(body).IsValid(lenient...); valid != (err == nil) {
			t.Fatalf("%s: valid %t, got %v", body, valid, err)
		}
		if err != nil {
			return
		}
		if !json.Valid(got.Body) {
			t.Fatalf("%s becomes %s", body, got.Body)
		}
		checkLegacyForm(t, call, status, body)
		if status < http.StatusBadRequest {
			want := &reference{rewriter: r, call: call, root: 1,
				dec: jsontext.NewDecoder(bytes.NewReader(body), lenient...)}
			compact := jsontext.Value(bytes.Clone(got.Body))
			if err := compact.Compact(lenient...); err != nil {
				t.Fatal(err)
			}
			if want := want.value(&mapping.Attribute{Class: mapping.Object, Shape: e.Result}, &item{}); !bytes.Equal(want, compact) {
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

// checkLegacyForm: a response in the legacy's names is valid JSON. It equals the site's response if
// that has no links of the site.
func checkLegacyForm(t *testing.T, call *mapping.Call, status int, body []byte) {
	t.Helper()
	got, err := legacyNamesRewriter("").Rewrite(t.Context(), inLegacyNames(call), 1, status, body)
	form := got.Body
	if err != nil || !jsontext.Value(form).IsValid(lenient...) {
		t.Fatalf("%s has the legacy form %s: %v", body, form, err)
	}
	if !bytes.Contains(bytes.ToLower(body), []byte("legacy")) && !bytes.Contains(bytes.ToLower(body), []byte("tribe")) &&
		!bytes.Contains(body, []byte("rest_url")) && !bytes.Contains(body, []byte("\\u")) && !bytes.Equal(form, body) {
		t.Fatalf("%s has the legacy form %s", body, form)
	}
}
