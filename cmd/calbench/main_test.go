package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMain runs the servers too, as calbench does.
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
	slow := strings.NewReplacer("2.90ms", "1.02s", "9.99ms", "1.50m", "40051", "7", "20012.5", "3.50").Replace(wrkOutput)
	if got, err := parseWrk(slow); err != nil || got != (sample{requests: 7, rate: 3.5, p50: 1020 * time.Millisecond, p99: 90 * time.Second}) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"", strings.Replace(wrkOutput, "40051", "0", 1), strings.Replace(wrkOutput, "99%", "98%", 1), wrkOutput + "  Non-2xx or 3xx responses: 3\n", "Socket errors: connect 1\n" + wrkOutput} {
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

// TestCold: requests that reach the origin are no hits, and neither are responses in
// another coding than the requested one.
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

// fakeWrk prints the output of wrk without sending a load, and reports failures of
// requests with If-None-Match.
const fakeWrk = `#!/bin/sh
case "$*" in *If-None-Match*) echo "  Non-2xx or 3xx responses: 3";; esac
echo '` + wrkOutput + `'
`

// TestBenchGoesOn runs calbench's own servers. Failures appear in their rows and in the
// exit code, and the other rows are measured.
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
		"Not installed, so omitted: taskset, varnishd, haproxy, redis-server, h2load, caddy with the module http.handlers.cache.",
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

// TestFlags: a selection of groups writes no report unless a file is named.
func TestFlags(t *testing.T) {
	for args, want := range map[string]settings{
		"":                             {seconds: 2 * time.Second, runs: 5, output: "BENCHMARKS.md"},
		"-seconds 60 -runs 50":         {seconds: time.Minute, runs: 50, output: "BENCHMARKS.md"},
		"-only hits,parts":             {only: []string{"hits", "parts"}, seconds: 2 * time.Second, runs: 5},
		"-only lane -o lane.md":        {only: []string{"lane"}, seconds: 2 * time.Second, runs: 5, output: "lane.md"},
		"-o other.md -seconds 1":       {seconds: time.Second, runs: 5, output: "other.md"},
		"-runs 1 -only memory,attack ": {only: []string{"memory", "attack"}, seconds: 2 * time.Second, runs: 1},
	} {
		got, err := parse(strings.Fields(args), io.Discard)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(settings{})); err != nil || diff != "" {
			t.Errorf("%s: %v, -want +got:\n%s", args, err, diff)
		}
		for _, group := range groupNames() {
			if wanted := len(want.only) == 0 || slices.Contains(want.only, group); got.wants(group) != wanted {
				t.Errorf("%s: %s is measured: %t", args, group, !wanted)
			}
		}
	}
}
