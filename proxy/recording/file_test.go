package recording

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
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
		data, err := encodeReadably(&r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeExchange(data, r.file(testRoots), testRoots)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if !bytes.Equal(got.bytes(), body) {
			t.Errorf("%q became %q", body, got.bytes())
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
		data, err := encodeReadably(&r)
		if (r.Body != nil) != readable || err != nil || len(data) > 100*len(body)+1_000 {
			t.Errorf("%.40s: readable: %v, %d bytes of %d, %v", body, r.Body != nil, len(data), len(body), err)
		}
	}
}

// TestNoCallWaitsForTheDisk: while the disk hangs, responses are held within limits, and dropped
// beyond them.
func TestNoCallWaitsForTheDisk(t *testing.T) {
	for name, test := range map[string]struct{ body, responses, dropped int }{
		"by number": {2, maxWaiting + 3, 3},
		"by bytes":  {maxWaitingBytes / 4, 6, 2},
		"one":       {2 * maxWaitingBytes, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Recorder{waiting: make(chan *captured, maxWaiting)} // nothing empties it
			for range test.responses {
				r.add(&captured{body: make([]byte, test.body)})
			}
			if got := r.Progress().Dropped; got != uint64(test.dropped) {
				t.Errorf("%d dropped, want %d", got, test.dropped)
			}
			r.Close()
			r.add(&captured{})
			if got := r.Progress().Dropped; got != uint64(test.dropped)+1 {
				t.Errorf("after Close: %d dropped", got)
			}
		})
	}
}

// TestSameCall: which calls are the same.
func TestSameCall(t *testing.T) {
	const base = "https://legacy.example/wp-json/tribe/events/v1/events"
	for name, test := range map[string]struct {
		a, b []string // method, URL, body
		same bool
	}{
		"order of the query":      {[]string{"GET", base + "?a=1&b=2", ""}, []string{"GET", base + "?b=2&a=1", ""}, true},
		"order of the members":    {[]string{"PUT", base, `{"a":1,"b":[1,2]}`}, []string{"PUT", base, `{"b":[1,2], "a":1}`}, true},
		"passwords":               {[]string{"GET", base + "?password=x", ""}, []string{"GET", base + "?password%5B%5D=y", ""}, true},
		"passwords in the body":   {[]string{"PUT", base, `{"password":"x"}`}, []string{"PUT", base, `{}`}, true},
		"values of the query":     {[]string{"GET", base + "?a=1", ""}, []string{"GET", base + "?a=2", ""}, false},
		"order of a name's pairs": {[]string{"GET", base + "?a=1&a=2", ""}, []string{"GET", base + "?a=12", ""}, false},
		"methods":                 {[]string{"PUT", base, "{}"}, []string{"PATCH", base, "{}"}, false},
		"bodies":                  {[]string{"PUT", base, `{"a":1}`}, []string{"PUT", base, `{"a":"1"}`}, false},
		"numbers": {[]string{"PUT", base, `{"a":9007199254740993}`},
			[]string{"PUT", base, `{"a":9007199254740992}`}, false},
		"a body and none": {[]string{"PUT", base, `{}`}, []string{"PUT", base, ""}, false},
		"paths":           {[]string{"GET", base + "/5", ""}, []string{"GET", base + "/6", ""}, false},
		"escapes":         {[]string{"GET", base + "/a%2Fb", ""}, []string{"GET", base + "/a/b", ""}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fileOf(t, test.a) == fileOf(t, test.b); got != test.same {
				t.Errorf("the same: %t", got)
			}
		})
	}
}

func fileOf(t *testing.T, call []string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), call[0], call[1], strings.NewReader(call[2]))
	if err != nil {
		t.Fatal(err)
	}
	sent, err := identify(testRoots, req)
	if err != nil {
		t.Fatal(err)
	}
	return sent.file(testRoots)
}
