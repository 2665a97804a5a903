package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain has the test be the servers too, as calbench itself is.
func TestMain(m *testing.M) {
	if roleOf(os.Args[1:]) != nil {
		main()
	}
	os.Exit(m.Run())
}

const wrkOutput = `Running 2s test @ http://127.0.0.1:1
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     3.31ms    1.94ms  20.02ms   85.36%
  Latency Distribution
     50%    2.90ms
     75%  890.00us
     90%    5.00ms
     99%    9.99ms
  40051 requests in 2.00s, 1.60GB read
Requests/sec:  20012.5
`

func TestParseWrk(t *testing.T) {
	got, err := parseWrk(wrkOutput)
	want := sample{requests: 40051, rate: 20012.5, p50: 2900 * time.Microsecond, p99: 9990 * time.Microsecond}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	for _, bad := range []string{"", wrkOutput + "  Non-2xx or 3xx responses: 3\n", "Socket errors: connect 1\n" + wrkOutput} {
		if got, err := parseWrk(bad); err == nil {
			t.Errorf("%q: %+v, want an error", bad, got)
		}
	}
}

func TestParseStat(t *testing.T) {
	pid, parent, took, ok := parseStat("42 (a) (b) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 0 0 20 0 1 0 5 6 7")
	if !ok || pid != 42 || parent != 7 || took != 2*time.Second {
		t.Errorf("got %d %d %s %t", pid, parent, took, ok)
	}
	for _, bad := range []string{"", "42", "42 (x", "42 (x) S 7"} {
		if _, _, _, ok := parseStat(bad); ok {
			t.Errorf("%q was read", bad)
		}
	}
}

// TestCold: what the origin is asked for is no hit, and neither is what comes in
// another coding than the one asked for.
func TestCold(t *testing.T) {
	origin := httptest.NewServer(staticOrigin())
	defer origin.Close()
	ready := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer ready.Close()
	b := &lab{eventID: "1", servers: map[string]*server{"origin": {url: origin.URL}, "nginx": {url: ready.URL}}}
	tests := []struct {
		server  string
		codings []string
		keys    int
		want    int
	}{
		{"nginx", []string{""}, 0, 0},
		{"nginx", []string{"", "gzip"}, 0, 2},
		{"origin", []string{""}, 0, 2},
		{"origin", []string{""}, 3, 8},
	}
	for _, test := range tests {
		if got, err := b.cold(test.server, test.codings, test.keys); err != nil || got != test.want {
			t.Errorf("%s, %q, %d keys: %d, %v; want %d", test.server, test.codings, test.keys, got, err, test.want)
		}
	}
}

// fakeWrk answers as wrk does, without any load, and has seen a failure where the
// request has an If-None-Match.
const fakeWrk = `#!/bin/sh
case "$*" in *If-None-Match*) echo "  Non-2xx or 3xx responses: 3";; esac
echo '` + wrkOutput + `'
`

// TestBenchGoesOn runs the servers of our own. What fails is told, in its rows
// and by the exit code, and the rest is measured.
func TestBenchGoesOn(t *testing.T) {
	dir := t.TempDir()
	for name, script := range map[string]string{"wrk": fakeWrk, "nginx": "#!/bin/sh\necho 'no | such thing' >&2; exit 3\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	var out strings.Builder
	code := run(t.Context(), strings.Fields("-only lane-1024 -runs 2 -seconds 1"), nil, strings.NewReader(""), &out, io.Discard)
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	for _, want := range []string{
		"Not installed, and so left out: taskset, varnishd, haproxy, redis-server.",
		"0 targets reached, 0 missed; 6 measurements failed.",
		"- failed: lane, 304, list: wrk: Non-2xx or 3xx responses: 3\n",
		"- failed: nginx proxy_cache, single: nginx did not start: exit status 3: no / such thing\n",
		"\n| lane, 304 | | | | | | | | facade | | **failed**: wrk: Non-2xx or 3xx responses: 3 |\n",
		"\n| nginx proxy_cache | | | | | | | | bare net/http + httprouter | | **failed**: nginx did not start: exit status 3: no / such thing |\n",
		"\n| lane | 20012 | ",
		"\n| facade | 20012 | ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q", want)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

func TestRunRefuses(t *testing.T) {
	for _, args := range []string{"-only nothing", "-seconds 0", "-runs 1000", "-no-such-flag", "more"} {
		if got := run(t.Context(), strings.Fields(args), nil, strings.NewReader(""), io.Discard, io.Discard); got != 2 {
			t.Errorf("run(%s) = %d, want 2", args, got)
		}
	}
}
