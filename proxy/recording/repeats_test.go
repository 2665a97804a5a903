package recording

import "testing"

// TestRepeats: a response that repeats a secret is recognised in each spelling of JSON.
func TestRepeats(t *testing.T) {
	const secret = "s3/<é😀&\"\\x"
	for body, want := range map[string]bool{
		`{"a":"s3\/<\u00e9\ud83d\ude00&\"\\x"}`:               true, // PHP
		`{"a":"s3\/\u003C\u00e9\uD83D\uDE00\u0026\u0022\\x"}`: true, // PHP with JSON_HEX_TAG and the like
		`{"a":"s3/\u003cé😀\u0026\"\\x"}`:                      true, // Go
		`{"a":"\u00733/<é😀&\"\u005cx"}`:                       true,
		`{"a":"s3/<\\u00e9😀&\"\\x"}`:                          false, // a backslash, and u00e9
		`{"a":"s4"}`:                                          false,
	} {
		e := exchange{Body: []byte(body)}
		if got := e.repeats([]string{secret}); got != want {
			t.Errorf("%s: %t", body, got)
		}
	}
}
