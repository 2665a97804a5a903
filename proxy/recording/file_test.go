package recording

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/proxy/proxytest"
)

var testRoots = []knownRoot{{"en", "https://legacy.example/wp-json", "tribe/events/v1"}}

// FuzzBody: a file preserves any body byte for byte.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		"", "null", `""`, `"x"`, `{"a":"\u00e9\/<b>& ` + "\u2028" +
			`","a":1.50e+10}`, `{ "spaced" : [1, 2] }`, "<html>", "\xff\xfe", `"` + "\xff" + `"`,
		strings.Repeat("[", 20_000), "[1]\n", "{}", "0", nested(maxDepth), nested(maxDepth + 1), "[1e999," + nested(maxDepth) + "]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r := exchange{call: call{Root: "en", Method: "GET", Path: "/"}, Status: 200}
		r.setBody(body)
		data := encodeReadably(&r)
		got, err := decodeExchange(data, r.file(testRoots), testRoots)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		replayed, err := io.ReadAll(got.response(nil).Body)
		if err != nil || !bytes.Equal(replayed, body) {
			t.Errorf("%q became %q, %v", body, replayed, err)
		}
	})
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

// TestBodyIsBounded: a deeply nested body is stored as text, because its lines would be
// indented more and more.
func TestBodyIsBounded(t *testing.T) {
	for body, readable := range map[string]bool{
		nested(maxDepth): true, nested(maxDepth + 1): false, nested(9_000): false, "[1e999," + nested(maxDepth) +
			"]": false, "[1e999]": true,
		`{"a":` + nested(maxDepth) + `}`: false, "[" + strings.Repeat("[],", 1_000) + "[]]": true, `"` + nested(1_000) + `"`: true,
	} {
		var r exchange
		r.setBody([]byte(body))
		data := encodeReadably(&r)
		if (r.Body != nil) != readable || len(data) > 100*len(body)+1_000 {
			t.Errorf("%.40s: readable: %v, %d bytes of %d", body, r.Body != nil, len(data), len(body))
		}
	}
}

// TestSameCall: which reads are the same.
func TestSameCall(t *testing.T) {
	const base = "https://legacy.example/wp-json/tribe/events/v1/events"
	for name, test := range map[string]struct {
		a, b  string
		equal bool
	}{
		"order of the query":      {base + "?a=1&b=2", base + "?b=2&a=1", true},
		"passwords":               {base + "?password=x", base + "?password%5B%5D=y", true},
		"values of the query":     {base + "?a=1", base + "?a=2", false},
		"order of a name's pairs": {base + "?a=1&a=2", base + "?a=12", false},
		"paths":                   {base + "/5", base + "/6", false},
		"escapes":                 {base + "/a%2Fb", base + "/a/b", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fileOf(t, test.a) == fileOf(t, test.b); got != test.equal {
				t.Errorf("the same: %t", got)
			}
		})
	}
}

func fileOf(t *testing.T, url string) string {
	t.Helper()
	c, _ := identify(testRoots, proxytest.NewRequest(t, http.MethodGet, url, ""))
	return c.file(testRoots)
}
