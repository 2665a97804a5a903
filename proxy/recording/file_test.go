package recording

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
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
		if err := compact(&got.Body); err != nil || !bytes.Equal(got.bytes(), body) {
			t.Errorf("%q became %q", body, got.bytes())
		}
	})
}

// FuzzCheck: a file is accepted by the check if a replay can read it, and no other.
func FuzzCheck(f *testing.F) {
	r := exchange{call: call{Root: "en", Method: "GET", Path: "/"}, Status: 200}
	r.setBody([]byte(`{"a":[1,"\u00e9",{"b":null}]}`))
	data, err := encodeReadably(&r)
	if err != nil {
		f.Fatal(err)
	}
	text := string(data)
	for _, seed := range []string{
		text, text[:len(text)/2], text + "{}", text + " \n", text +
			"x", strings.Replace(text, `"body"`, `"Body"`, 1), strings.Replace(text, `"body"`, `"bodies"`, 1),
		strings.Replace(text, "null", "nul", 1), strings.Replace(text, "200", "20", 1), strings.Replace(text, `"GET"`, `"PUT"`,
			1), strings.Replace(text, "null", "1e999", 1),
		strings.Replace(text, `"status"`, `"body":{},"status"`, 1), strings.Replace(text, "null", `"\ud800"`,
			1), strings.Replace(text, "null", "\"\xff\"", 1),
		strings.Replace(text, "null", nested(9_990), 1), "", "{}", "[]", "null",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, want := decodeExchange(data, r.file(testRoots), testRoots)
		if err := checkExchange(data, r.file(testRoots), testRoots); fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", err, want)
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

// TestQueueIsBounded: while the disk does not keep up one call waits, for a bounded time, and
// the responses to others are dropped. Nothing empties the queue here.
func TestQueueIsBounded(t *testing.T) {
	for name, test := range map[string]struct {
		queue, body, responses int
		dropped                uint64
		waiting                int64
	}{
		"by number": {3, 2, 5, 2, 6},
		"by bytes":  {100, maxWaitingBytes / 4, 6, 2, maxWaitingBytes},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := hangingRecorder(test.queue)
				start := time.Now()
				for range test.responses {
					r.enqueue(captured{body: make([]byte, test.body)})
				}
				if n := r.counts.dropped.Load(); n != test.dropped || r.waiting.Load() != test.waiting || time.Since(start) != maxDelay {
					t.Errorf("%d dropped, %d bytes waiting, after %s", n, r.waiting.Load(), time.Since(start))
				}
				close(r.stop)
				r.enqueue(captured{})
				if n := r.counts.dropped.Load(); n != test.dropped+1 {
					t.Errorf("after Close: %d dropped", n)
				}
			})
		})
	}
}

// hangingRecorder has a queue that nothing empties.
func hangingRecorder(queue int) *Recorder {
	return &Recorder{options: Options{}.withDefaults(), queue: make(chan captured, queue), room: make(chan struct{}, 1),
		stop: make(chan struct{})}
}

// TestCallsWaitForTheDisk: a disk that is slower than the site slows down calls, and nothing is
// dropped. Nor are calls delayed once the disk has hung, until it has caught up.
func TestCallsWaitForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const queue, calls, slow = 4, 40, 100 * time.Millisecond
		r := hangingRecorder(queue)
		write := func(n int) {
			for range n {
				time.Sleep(slow)
				r.wrote(len((<-r.queue).body))
			}
		}
		start := time.Now()
		var clients sync.WaitGroup
		for range 2 {
			clients.Go(func() {
				for range calls / 2 {
					r.enqueue(captured{body: []byte("{}")})
				}
			})
		}
		write(calls - queue)
		clients.Wait()
		if n, took := r.counts.dropped.Load(), time.Since(start); n != 0 || took != (calls-queue)*slow {
			t.Errorf("%d dropped after %s", n, took)
		}
		r.enqueue(captured{}) // the disk hangs
		write(1)
		start = time.Now()
		r.enqueue(captured{}) // into the room for one
		r.enqueue(captured{})
		if n := r.counts.dropped.Load(); n != 2 || time.Since(start) != 0 {
			t.Errorf("%d dropped after it hung, the last two after %s", n, time.Since(start))
		}
		write(2)
		r.enqueue(captured{})
		if n := r.counts.dropped.Load(); n != 2 || len(r.queue) != 3 || r.behind.Load() {
			t.Errorf("it has caught up: %d dropped, %d in the queue", n, len(r.queue))
		}
	})
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
	return sent.call.file(testRoots)
}
