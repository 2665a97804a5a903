package main

import (
	"io"
	"strings"
	"testing"
	"time"
)

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

// TestCompare: a ratio is the median of those within each turn, not that of the
// medians.
func TestCompare(t *testing.T) {
	base := []sample{{cpu: 10, p50: 1}, {cpu: 20, p50: 1}, {cpu: 40, p50: 1}}
	got := compare(row{by: byCPU}, []sample{{cpu: 20, p50: 1}, {cpu: 22, p50: 2}, {cpu: 60, p50: 3}}, base)
	if got.cpu != 1.5 || got.p50 != 2 || got.lowest != 1.1 || got.highest != 2 {
		t.Errorf("got %+v", got)
	}
}

// TestBases: every row is compared with one of its own group.
func TestBases(t *testing.T) {
	for _, g := range groups {
		names := map[string]bool{"": true}
		for _, r := range g.rows {
			names[r.name] = true
			if !names[r.base] {
				t.Errorf("%s: %s has the base %q, which is not before it", g.name, r.name, r.base)
			}
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for _, args := range []string{"-only nothing", "-seconds 0", "-runs 1000", "-no-such-flag", "more"} {
		if got := run(t.Context(), strings.Fields(args), nil, strings.NewReader(""), io.Discard, io.Discard); got != 2 {
			t.Errorf("run(%s) = %d, want 2", args, got)
		}
	}
}
