package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestTargets: each target has its own base and measure, and applies only to the groups
// and bodies that have it.
func TestTargets(t *testing.T) {
	taken := rounds{samples: map[string][]sample{
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
		"single": {group: "lane", body: bodySingle, reached: 1, missed: []string{
			"lane, against nginx proxy_cache, single: CPU × 0.83, at most 0.77",
			"lane, against nginx proxy_cache, single: p99 × 2.50, at most 2",
			"lane, against HAProxy cache, single: CPU × 1.25, at most 1",
		}},
		"list": {group: "lane", body: bodyList, reached: 2, missed: []string{
			"lane, against nginx proxy_cache, list: p99 × 2.50, at most 2",
		}},
		"nginx is not installed": {group: "lane", body: bodySingle, missing: "nginx proxy_cache", reached: 1, missed: []string{
			"lane, against HAProxy cache, single: CPU × 1.25, at most 1",
		}},
		"1 connection":      {group: "lane-1", body: bodySingle},
		"1,024 connections": {group: "lane-1024", body: bodySingle},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, g := range groups {
				if g.name != test.group {
					continue
				}
				some := rounds{samples: maps.Clone(taken.samples)}
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

// TestFailedRound: a row that failed in a later round has failed, and a row without its
// base has no ratio and no verdict.
func TestFailedRound(t *testing.T) {
	taken := rounds{samples: map[string][]sample{}, failed: map[string]error{}}
	g := group{title: "Some", rows: []row{
		{name: "base", server: "a", by: byCPU},
		{name: "other", server: "b", base: "base", by: byCPU, limit: both(1)},
		{name: "left out", server: "c", base: "base", by: byCPU, limit: both(1)},
	}}
	taken.add("base", sample{rate: 1, cpu: 1000}, nil)
	taken.add("other", sample{rate: 2, cpu: 1000}, nil)
	taken.add("base", sample{}, errors.New("gone"))
	taken.add("other", sample{rate: 2, cpu: 1000}, nil)
	r := newReport(settings{})
	r.addGroup(g, bodyList, taken.rows(g, bodyList))
	_, got, _ := strings.Cut(r.body.String(), "---|\n")
	want := `| base | | | | | | | | itself | | **failed**: gone |
| other | 2 | 0.00 | 0s | 0s | – | – | – | base | CPU at most 1 | **failed**: nothing to compare it with |
`
	if diff := cmp.Diff(want, got); diff != "" || r.reached != 0 || r.missed != nil {
		t.Errorf("reached %d, missed %q, rows (-want +got):\n%s", r.reached, r.missed, diff)
	}
}

// TestChecks: a limit is a bound from above or from below, or there is none.
func TestChecks(t *testing.T) {
	r := newReport(settings{})
	r.addChecks("memory", []check{
		{Name: "resident", Got: 100, Unit: "MB", Limit: 150},
		{Name: "entries", Got: 5, Unit: "", Limit: 6, Minimum: true},
		{Name: "heap", Got: 1.234, Unit: "MB"},
	}, nil)
	r.addChecks("purges", nil, errors.New("no | redis\nhere"))
	want := `
## Memory

| | | target | verdict |
|---|--:|---|---|
| resident | 100.00 MB | at most 150 | reached |
| entries | 5.00  | at least 6 | **missed** |
| heap | 1.23 MB |  |  |

## Purges

**failed**: no / redis here
`
	if diff := cmp.Diff(want, r.body.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if r.reached != 1 || !slices.Equal(r.missed, []string{"entries: 5.00 , at least 6"}) || !slices.Equal(r.failed, []string{"purges: no / redis here"}) {
		t.Errorf("reached %d, missed %q, failed %q", r.reached, r.missed, r.failed)
	}
}

// TestMissesAreMarked: a row of hits shows the share of misses; a row of misses does not.
func TestMissesAreMarked(t *testing.T) {
	m := measured{row: row{name: "facade", server: "facade", by: byCPU}, middle: sample{rate: 10, cpu: time.Millisecond, fetched: 0.25}}
	for group, marked := range map[string]bool{"hits": true, "misses": false} {
		r := newReport(settings{})
		for _, g := range groups {
			if g.name == group {
				r.addRow(g, bodyList, m)
			}
		}
		if got := strings.Contains(r.body.String(), "25 %"); got != marked {
			t.Errorf("%s: %s", group, r.body.String())
		}
	}
}

// TestReportText: missing programs, missed targets and failures precede the tables.
func TestReportText(t *testing.T) {
	r := newReport(settings{runs: 5, seconds: 2 * time.Second})
	r.began = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	r.reached, r.missed, r.failed = 3, []string{"lane: too slow"}, []string{"nginx: gone"}
	r.body.WriteString("\n## Hits\n")
	text := r.text(&lab{sizes: map[string]int{bodyList: 4000, bodySingle: 1500}, missing: []string{"varnishd", "haproxy"}})
	at := 0
	for _, want := range []string{
		"# Benchmarks\n\nWritten by `go run ./cmd/calbench`, 2026-11-22 12:00:00 UTC.\n",
		"a list of 4000 and a single event of 1500 bytes",
		"varnishd, haproxy.",
		"the median of 5 rounds of 2s",
		"3 targets reached, 1 missed; 1 measurements failed.\n- missed: lane: too slow\n- failed: nginx: gone\n",
		"\n## Hits\n",
	} {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("no %q behind the others in\n%s", want, text)
		}
		at += i
	}
}

// TestInterrupted: a run that is interrupted reports what it measured before.
func TestInterrupted(t *testing.T) {
	r := newReport(settings{})
	r.addChecks(groupParts, []check{{Name: "parse", Got: 2, Unit: "µs"}}, nil)
	err := r.interrupt(groupMemory, context.Canceled)
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), groupMemory) {
		t.Errorf("error %v", err)
	}
	text := r.text(&lab{sizes: map[string]int{}})
	for _, want := range []string{"| parse | 2.00 µs |", `**Interrupted** in "memory"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
