package jsonscan

import (
	"strings"
	"testing"
)

// TestUnpairedSurrogates: they are read as JSON's grammar has them, and as the replacement
// character where a text is needed.
func TestUnpairedSurrogates(t *testing.T) {
	for escape, text := range map[string]string{
		`\ud83c`: "\ufffd", `\udf89`: "\ufffd", `\ud83cx`: "\ufffdx", `\ud83c\u0041`: "\ufffdA", `\ud83c\ud83c\udf89`: "\ufffd🎉",
		`\ud83c\/`: "\ufffd/",
	} {
		object := []byte(`{"` + escape + `":"` + escape + `","a":["` + escape + `"]}`)
		if !IsValid(object) {
			t.Errorf("%s is refused", object)
		}
		if got := Text(Get(object, text)); got != text {
			t.Errorf("%s: got %q, want %q", object, got, text)
		}
		if items, err := Elements(Get(object, "a")); err != nil || len(items) != 1 || string(items[0]) != `"`+escape+`"` {
			t.Errorf("%s: elements %s, %v", object, items, err)
		}
		if got, want := string(With(object, "a", "1")), `{"`+text+`":"`+escape+`","a":1}`; got != want {
			t.Errorf("replaced: got %s, want %s", got, want)
		}
	}
	if got, want := Quote("a\xff"), "\"a\ufffd\""; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if IsValid([]byte("\"\xff\"")) {
		t.Error("bytes that are not UTF-8 are accepted")
	}
}

// TestScanCutOff truncates a document at each byte: no part is valid, and no part is
// read past its end.
func TestScanCutOff(t *testing.T) {
	document := []byte(`{"a":[1.5e-3,-0,true,false,null],"\u00e9\ud83c\udf89":"é\/12345678"}`)
	if !IsValid(document) {
		t.Fatal("the whole document is refused")
	}
	for n := range document {
		if part := document[:n:n]; IsValid(part) {
			t.Errorf("%q is accepted", part)
		}
	}
}

// TestAccepted scans texts that sites, faults and attacks send. Repeated names are JSON; text around a value, and depth
// without end, is none.
func TestAccepted(t *testing.T) {
	deep := strings.Repeat("[", 10_000)
	for text, want := range map[string]bool{
		`{"a":1,"a":2}`: true, " [1 , 2]\n": true, "1E-07": true, `"\u00e9\uFFFF"`: true, "\"\x7f\ufffd\"": true,
		deep + strings.Repeat("]", len(deep)): true, "[" + strings.Repeat("[],[[]],", len(deep)) + "0]": true,
		deep + "[" + strings.Repeat("]", len(deep)+1): false,
		"": false, " ": false, "\ufeff{}": false, "{}}": false, "{} {}": false, "[1}": false, `{"a":1]`: false, "[1,]": false,
		`{a:1}`: false,
		`{1:1}`: false, `{"a" 1}`: false, `{"a":1 "b":2}`: false, "01": false, "nul": false, `"\x"`: false, "\"\n\"": false,
		"\"\xff\"": false, "{\"\xff\":1}": false, "\"\xed\xa0\x80\"": false,
	} {
		if got := IsValid([]byte(text)); got != want {
			t.Errorf("%.40q: accepted %t, want %t", text, got, want)
		}
	}
}

// TestErrors: an error has an offset, and quotes nothing of the document. Nothing is read after it.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"secret":{"secret":xyz}}`: "byte 20 of 25", `{"secret":1 "secret"`: "byte 12 of 20", `["secret`: "byte 8 of 8", "": "EOF",
		"\"secret\xff\"": "not UTF-8", `{ [`: "byte 2 of 3", `"secret" "secret"`: "more than one JSON value",
	} {
		s := NewScanner([]byte(text))
		_ = s.Value()
		if s.Err == nil {
			s.End()
		}
		if s.Err == nil || s.Err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, s.Err, want)
		}
		if kind := s.Peek(); kind != 0 || s.Value() != nil {
			t.Errorf("%s: %v is read after an error", text, kind)
		}
	}
}
