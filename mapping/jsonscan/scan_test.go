package jsonscan

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// scans reports whether the scanner accepts data as one JSON value.
func scans(data []byte) bool {
	s := Scanner{Src: data}
	s.Skip()
	s.End()
	return s.Err() == nil
}

// FuzzScan compares what the scanner and jsontext accept.
func FuzzScan(f *testing.F) {
	for _, s := range []string{
		"", " ", "\x00", "\ufeff{}", "nul", "nullx", "true", "falsey", " [1 , 2]\n", "[1,]", "[,1]", "[1 2]", "[", "]", "{", "{}}", `{"a"}`, `{"a":}`,
		`{"a":1,}`, `{"a":1 "b":2}`, `{a:1}`, `{"a":1,"a":2}`, "0", "-0", "-", "01", "1.", ".5", "1.5e", "1e+", "1E-07", "+1", "0x1", "1_0",
		`"`, `"a`, `"\`, `"\u`, `"\u12`, `"\u123g"`, `"\u00e9\uFFFF"`, `"\x"`, `"\ud83c\udf89"`, `"\ud83c"`, `"\ud83c\u0041"`, `"\udf89\ud83c"`, `"\ud83cxxxxxx"`,
		"\"12345678\n\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\"1234567\xc3\xa9\"", "\"\xed\xa0\x80\"", "\"\xc0\xaf\"", "\"\ufffd\"", "\"\xe2\x82\"",
		strings.Repeat("[", maxNesting) + strings.Repeat("]", maxNesting), strings.Repeat("[", maxNesting+1) + strings.Repeat("]", maxNesting+1),
		"[" + strings.Repeat("[],[[]],", maxNesting) + "0]",
	} {
		f.Add([]byte(s))
		f.Add([]byte(`{"12345678":[` + s + `,"after it"]}`))
	}
	f.Add([]byte(`{"events":[{"id":5,"title":"Summer F\u00eate","url":"https:\/\/legacy.example.org\/event\/5\/","image":false,"cost":"12.50"}],"total":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		want := jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true))
		if got := scans(data); got != want {
			t.Fatalf("%q: accepted %t, by jsontext %t", data, got, want)
		}
	})
}

// TestScanCutOff truncates a document at each byte: none of the parts is valid, and none is
// read past its end.
func TestScanCutOff(t *testing.T) {
	whole := []byte(`{"a":[1.5e-3,-0,true,false,null],"\u00e9\ud83c\udf89":"é\/12345678"}`)
	if !scans(whole) {
		t.Fatal("the whole document is refused")
	}
	for n := range whole {
		if part := whole[:n:n]; scans(part) {
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
			if got, want := scans(text), jsontext.Value(text).IsValid(); got != want {
				t.Errorf("%q: accepted %t, by jsontext %t", text, got, want)
			}
		}
	}
}
