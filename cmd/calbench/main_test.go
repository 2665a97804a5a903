package main

import (
	"errors"
	"io"
	"maps"
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

// TestCompare: a ratio is the median of those within each turn, not that of the
// medians.
func TestCompare(t *testing.T) {
	base := []sample{{cpu: 10, p50: 1, p99: 2}, {cpu: 20, p50: 1, p99: 2}, {cpu: 40, p50: 1, p99: 2}}
	got := compare(row{by: byCPU}, []sample{{cpu: 20, p50: 1, p99: 6}, {cpu: 22, p50: 2, p99: 4}, {cpu: 60, p50: 3, p99: 2}}, base)
	if got.of(byCPU) != (ratio{1.5, 1.1, 2}) || got.of(byP50) != (ratio{2, 1, 3}) || got.of(byP99) != (ratio{2, 1, 3}) {
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
		for _, r := range g.also {
			if !names[r.name] || r.base == "" || !names[r.base] || r.most == nil {
				t.Errorf("%s: no such target: %+v", g.name, r)
			}
		}
	}
}

// TestTargets: each is judged by its own base and its own measure, and only
// where its group and body have it.
func TestTargets(t *testing.T) {
	taken := turns{samples: map[string][]sample{
		"bare net/http + httprouter": {{cpu: 40, p50: 10, p99: 10}},
		"lane":                       {{cpu: 10, p50: 9, p99: 50}},
		"nginx proxy_cache":          {{cpu: 12, p50: 30, p99: 20}},
		"HAProxy cache":              {{cpu: 8, p50: 30, p99: 100}},
	}}
	tests := map[string]struct {
		group, body string
		missing     string
		reached     int
		missed      []string
	}{
		"single": {group: "lane", body: single, reached: 1, missed: []string{
			"lane, against nginx proxy_cache, single: CPU × 0.83, at most 0.77",
			"lane, against nginx proxy_cache, single: p99 × 2.50, at most 2",
			"lane, against HAProxy cache, single: CPU × 1.25, at most 1",
		}},
		"list": {group: "lane", body: list, reached: 2, missed: []string{
			"lane, against nginx proxy_cache, list: p99 × 2.50, at most 2",
		}},
		"nginx is not installed": {group: "lane", body: single, missing: "nginx proxy_cache", reached: 1, missed: []string{
			"lane, against HAProxy cache, single: CPU × 1.25, at most 1",
		}},
		"1 connection":      {group: "lane-1", body: single},
		"1,024 connections": {group: "lane-1024", body: single},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, g := range groups {
				if g.name != test.group {
					continue
				}
				some := turns{samples: maps.Clone(taken.samples)}
				delete(some.samples, test.missing)
				r := newReport(settings{})
				r.addGroup(g, test.body, some.rows(g, test.body))
				if r.reached != test.reached || !slices.Equal(r.missed, test.missed) || r.failed != nil {
					t.Errorf("reached %d, missed %q, failed %q in\n%s", r.reached, r.missed, r.failed, &r.body)
				}
				for line := range strings.Lines(r.body.String()) {
					if strings.Contains(line, ", against ") && !strings.Contains(line, " at most ") {
						t.Errorf("no target in %s", line)
					}
				}
			}
		})
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

// TestTurns: a row that failed in a later turn has failed, and a row without its
// base has no ratio and no verdict.
func TestTurns(t *testing.T) {
	taken := turns{samples: map[string][]sample{}, failed: map[string]error{}}
	g := group{title: "Some", rows: []row{
		{name: "base", server: "a", by: byCPU},
		{name: "other", server: "b", base: "base", by: byCPU, most: both(1)},
		{name: "left out", server: "c", base: "base", by: byCPU, most: both(1)},
	}}
	taken.add("base", sample{rate: 1, cpu: 1000}, nil)
	taken.add("other", sample{rate: 2, cpu: 1000}, nil)
	taken.add("base", sample{}, errors.New("gone"))
	taken.add("other", sample{rate: 2, cpu: 1000}, nil)
	r := newReport(settings{})
	r.addGroup(g, list, taken.rows(g, list))
	_, got, _ := strings.Cut(r.body.String(), "---|\n")
	want := `| base | | | | | | | | itself | | **failed**: gone |
| other | 2 | 0.00 | 0s | 0s | – | – | – | base | CPU at most 1 | **failed**: nothing to compare it with |
`
	if diff := cmp.Diff(want, got); diff != "" || r.reached != 0 || r.missed != nil {
		t.Errorf("reached %d, missed %q, rows (-want +got):\n%s", r.reached, r.missed, diff)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, args := range []string{"-only nothing", "-seconds 0", "-runs 1000", "-no-such-flag", "more"} {
		if got := run(t.Context(), strings.Fields(args), nil, strings.NewReader(""), io.Discard, io.Discard); got != 2 {
			t.Errorf("run(%s) = %d, want 2", args, got)
		}
	}
}
