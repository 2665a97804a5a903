package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain runs the servers of this program too, as calbench does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		main()
	}
	os.Exit(m.Run())
}

const wrkOutput = `Running 2s test @ http://127.0.0.1:1
  1 threads and 64 connections
  Latency Distribution
     50%    2.90ms
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
	for _, bad := range []string{
		"", strings.Replace(wrkOutput, "99%", "98%", 1), wrkOutput +
			"  Non-2xx or 3xx responses: 3\n", "Socket errors: connect 1\n" + wrkOutput,
	} {
		if got, err := parseWrk(bad); err == nil {
			t.Errorf("%q: %+v, want an error", bad, got)
		}
	}
}

const h2loadOutput = `finished in 1.02s, 7297.50 req/s, 35.17MB/s
requests: 7443 total, 7507 started, 7443 done, 7443 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 7443 2xx, 0 3xx, 0 4xx, 0 5xx
`

func TestParseH2load(t *testing.T) {
	got, err := parseH2load(h2loadOutput)
	want := (sample{requests: 7443, rate: 7297.5})
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	for _, bad := range []string{
		"", strings.Replace(h2loadOutput, "0 5xx", "3 5xx", 1), strings.Replace(h2loadOutput, "0 errored", "10 errored", 1),
		strings.Replace(h2loadOutput, "0 failed", "10 failed", 1), strings.Replace(h2loadOutput, "finished", "began", 1),
	} {
		if got, err := parseH2load(bad); err == nil {
			t.Errorf("%q: %+v, want an error", bad, got)
		}
	}
}

func TestLatencies(t *testing.T) {
	log := strings.Repeat("1763900000000000\t200\t1500\n", 98) + "1763900000000000\t200\t9000\n1763900000000000\t200\t20000\n"
	p50, p99, err := latencies(strings.NewReader(log))
	if err != nil || p50 != 1500*time.Microsecond || p99 != 9*time.Millisecond {
		t.Errorf("got %s, %s, %v", p50, p99, err)
	}
	for _, bad := range []string{"", "1 2\n", "1 2 x\n"} {
		if _, _, err := latencies(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestParseStat(t *testing.T) {
	pid, parent, u, ok := parseStat("42 (a) (b) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 0 0 20 0 1 0 5 6 3 8")
	want := (usage{cpu: 2 * time.Second, resident: int64(3 * os.Getpagesize())})
	if !ok || pid != 42 || parent != 7 || u != want {
		t.Errorf("got %d %d %v %t", pid, parent, u, ok)
	}
	for _, bad := range []string{"", "42", "42 (x", "42 (x) S 7"} {
		if _, _, _, ok := parseStat(bad); ok {
			t.Errorf("%q was read", bad)
		}
	}
}

// TestMedians: a ratio is the median of the ratios within a round, and a row that failed once has no figures.
func TestMedians(t *testing.T) {
	var got table
	got.add(series{row: row{name: "a"}, body: bodyList, samples: []sample{
		{rate: 1, p50: 30, p99: 3, cpu: 7e6, ratio: 1.5},
		{rate: 3, p50: 10, p99: 1, cpu: 9e6, ratio: 1.1},
		{rate: 2, p50: 20, p99: 2, cpu: 8e6, ratio: 2},
	}})
	got.add(series{row: row{name: "b"}, body: bodyList, samples: make([]sample, 1), failed: os.ErrClosed})
	got.add(series{row: row{name: "c"}, body: bodyList, failed: errMissing})
	got.header = make([]string, 6)
	var text strings.Builder
	got.write(&text)
	const want = "\n## \n\n|  |  |  |  |  |  |\n|---|--:|--:|--:|--:|--:|\n" +
		"| a, list | 2 | 8.00 | 20ns | 2ns | 1.50 |\n| b, list | **failed**: file already closed |  |  |  |  |\n"
	if text.String() != want || got.failed != 1 {
		t.Errorf("got %s\nwant %s", &text, want)
	}
}

// fakeWrk prints the output of wrk without sending a load, and reports failures of requests by script.
const fakeWrk = `#!/bin/sh
case "$*" in *.lua*) echo "  Non-2xx or 3xx responses: 3";; esac
echo '` + wrkOutput + `'
`

// TestBenchGoesOn runs calbench's own servers and calfacade. Failures appear in their rows and in the exit status, and the other
// rows are measured.
func TestBenchGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	if !installed("openssl") {
		if os.Getenv("CI") != "" {
			t.Fatal("openssl is not installed")
		}
		t.Skip("openssl is not installed")
	}
	dir := t.TempDir()
	for name, script := range map[string]string{"wrk": fakeWrk, "nginx": "#!/bin/sh\necho 'no | such thing' >&2; exit 3\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	var out strings.Builder
	if code := run(t.Context(), strings.Fields("-only hits,misses -runs 2 -seconds 1"), &out, io.Discard); code != 1 {
		t.Errorf("exit status %d, want 1", code)
	}
	for _, want := range []string{
		"\n| bare net/http + httprouter, list | 20012 | ",
		"\n| calfacade, 304, single | 20012 | ",
		"\n| nginx proxy_cache, single | **failed**: nginx did not start: exit status 3: no / such thing |",
		"\n| httputil.ReverseProxy, list | **failed**: wrk: Non-2xx or 3xx responses: 3 |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, args := range []string{"-only nothing", "-seconds 0", "-runs 0", "-no-such-flag", "more"} {
		if got := run(t.Context(), strings.Fields(args), io.Discard, io.Discard); got != 2 {
			t.Errorf("run(%s) = %d, want 2", args, got)
		}
	}
	s, err := parse(strings.Fields("-only hits,memory -seconds 3"), io.Discard)
	if err != nil || len(s.groups) != 2 || s.seconds != 3*time.Second || s.runs != 5 {
		t.Errorf("got %+v, %v", s, err)
	}
}
