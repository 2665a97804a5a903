package jsonscan

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzScan compares what the scanner and jsontext accept, which does not distinguish unpaired
// surrogates from bytes that are not UTF-8.
func FuzzScan(f *testing.F) {
	for _, s := range []string{
		"", " ", "\x00", "\ufeff{}", "nul", "nullx", "true", "falsey", " [1 , 2]\n", "[1,]", "[,1]", "[1 2]", "[", "]", "{", "{}}", `{"a"}`,
		`{"a":}`,
		`{"a":1,}`, `{"a":1 "b":2}`, `{a:1}`, `{"a":1,"a":2}`, "0", "-0", "-", "01", "1.", ".5", "1.5e", "1e+", "1E-07", "+1", "0x1", "1_0",
		`"`, `"a`, `"\`, `"\u`, `"\u12`, `"\u123g"`, `"\u00e9\uFFFF"`, `"\x"`, `"\ud83c\udf89"`, `"\ud83c"`, `"\ud83c\u0041"`,
		`"\udf89\ud83c"`,
		`"\ud83cxxxxxx"`,
		"\"12345678\n\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\"1234567\xc3\xa9\"", "\"\xed\xa0\x80\"", "\"\xc0\xaf\"", "\"\ufffd\"",
		"\"\xe2\x82\"",
		strings.Repeat("[", maxNesting) + strings.Repeat("]", maxNesting), strings.Repeat("[", maxNesting+1) +
			strings.Repeat("]", maxNesting+1),
		"[" + strings.Repeat("[],[[]],", maxNesting) + "0]",
	} {
		f.Add([]byte(s))
		f.Add([]byte(`{"12345678":[` + s + `,"after it"]}`))
	}
	f.Add([]byte(`{"events":[{"id":5,"title":"Summer ` +
		`F\u00eate","url":"https:\/\/legacy.example.org\/event\/5\/","image":false,"cost":"12.50"}],"total":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		want := utf8.Valid(data) && jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if got := IsValid(data); got != want {
			t.Fatalf("%q: accepted %t, by jsontext %t", data, got, want)
		}
	})
}

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

// TestScanCutOff truncates a document at each byte: none of the parts is valid, and none is
// read past its end.
func TestScanCutOff(t *testing.T) {
	whole := []byte(`{"a":[1.5e-3,-0,true,false,null],"\u00e9\ud83c\udf89":"é\/12345678"}`)
	if !IsValid(whole) {
		t.Fatal("the whole document is refused")
	}
	for n := range whole {
		if part := whole[:n:n]; IsValid(part) {
			t.Errorf("%q is accepted", part)
		}
	}
}

// TestScanBytes tries each byte at each offset of the eight that are compared at once.
func TestScanBytes(t *testing.T) {
	for c := range 256 {
		for at := range 9 {
			text := []byte(`"123456789012345678"`)
			text[1+at] = byte(c)
			if got, want := IsValid(text), jsontext.Value(text).IsValid(); got != want {
				t.Errorf("%q: accepted %t, by jsontext %t", text, got, want)
			}
		}
	}
}
