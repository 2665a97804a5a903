package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// report is BENCHMARKS.md in the making.
type report struct {
	settings settings
	began    time.Time
	load     string // of the machine, in the beginning
	body     strings.Builder
	reached  int
	missed   []string
}

func newReport(s settings) *report {
	return &report{settings: s, began: time.Now().UTC(), load: loadAverage()}
}

func (r *report) addGroup(g group, body string, all []measured) {
	_, _ = fmt.Fprintf(&r.body, "\n## %s: %s\n\n", g.title, body)
	r.body.WriteString("| | req/s | CPU ms per 1,000 | p50 | p99 | CPU × | p50 × | of | target | |\n|---|--:|--:|--:|--:|--:|--:|---|---|---|\n")
	for _, m := range all {
		of, target, verdict, name := m.row.base, "", "", m.row.name
		if g.name == "hits" && m.middle.fetched > 0.001 {
			name += fmt.Sprintf(" (**%.0f %% were no hits**)", 100*m.middle.fetched)
		}
		if of == "" {
			of = "itself"
		}
		if most := m.row.most[body]; most > 0 {
			got := m.cpu
			if m.row.by == byP50 {
				got = m.p50
			}
			target = fmt.Sprintf("%s at most %.1f", m.row.by, most)
			verdict = r.judge(got <= most, fmt.Sprintf("%s, %s: %s × %.2f, at most %.1f", m.row.name, body, m.row.by, got, most)) +
				fmt.Sprintf(" (%.2f to %.2f)", m.lowest, m.highest)
		}
		_, _ = fmt.Fprintf(&r.body, "| %s | %.0f | %.2f | %s | %s | %.2f | %.2f | %s | %s | %s |\n",
			name, m.middle.rate, float64(m.middle.cpu)/float64(time.Millisecond), m.middle.p50, m.middle.p99,
			m.cpu, m.p50, of, target, verdict)
	}
}

func (r *report) addChecks(title string, checks []check) {
	_, _ = fmt.Fprintf(&r.body, "\n## %s\n\n| | | target | |\n|---|--:|---|---|\n", strings.ToUpper(title[:1])+title[1:])
	for _, c := range checks {
		target, verdict := "", ""
		if c.Limit > 0 {
			word, ok := "at most", c.Got <= c.Limit
			if c.Least {
				word, ok = "at least", c.Got >= c.Limit
			}
			target = fmt.Sprintf("%s %g", word, c.Limit)
			verdict = r.judge(ok, fmt.Sprintf("%s: %.2f %s, %s", c.Name, c.Got, c.Unit, target))
		}
		_, _ = fmt.Fprintf(&r.body, "| %s | %.2f %s | %s | %s |\n", c.Name, c.Got, c.Unit, target, verdict)
	}
}

func (r *report) judge(ok bool, what string) string {
	if ok {
		r.reached++
		return "reached"
	}
	r.missed = append(r.missed, what)
	return "**missed**"
}

// text is the whole report.
func (r *report) text(b *lab) string {
	var s strings.Builder
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&s, format+"\n", args...) }
	say("# Benchmarks\n\nWritten by `go run ./cmd/calbench`, %s UTC.\n", r.began.Format(time.DateTime))
	say("- Machine: %s, %d cores, %s; load average %s in the beginning and %s in the end.", cpuModel(), runtime.NumCPU(), runtime.Version(), r.load, loadAverage())
	say("- Bodies: a list of %d and a single event of %d bytes, of the legacy stand-in.", b.sizes[list], b.sizes[single])
	if len(b.missing) > 0 {
		say("- Not installed, and so left out: %s.", strings.Join(b.missing, ", "))
	}
	say("- Each number is the median of %d turns of %s; each × is the median of the ratios within a turn, with the lowest and highest behind the verdict.", r.settings.runs, r.settings.seconds)
	s.WriteString(explained)
	say("\n%d targets reached, %d missed.", r.reached, len(r.missed))
	for _, m := range r.missed {
		say("- missed: %s", m)
	}
	return s.String() + r.body.String()
}

const explained = `- Server, load (wrk, one thread) and origin share one core. CPU is the server's own, from /proc/PID/stat: for a proxy without
  the origin, with Redis without redis-server. Lower is better.
- Hits: 64 connections. The facade has the timeouts of calfacade serve and no access log. nginx and Varnish give the legacy's body as it is.
  A row of Redis whose calls take longer than their budget of 25 ms is no row of hits, and says so.
  "One key" shares lookups in Redis among the requests that wait for the same key; "256 keys" are singles or lists asked in turn.
- Misses: one connection; each request has a key of its own (search=N, /events/N). The origin answers all with two ready bodies, so that
  the proxy is what differs. The client takes no gzip, but where the row says so: then what is stored is compressed after the answer, which
  on one core delays the next request.
`

func cpuModel() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	_, rest, _ := strings.Cut(string(data), "model name")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.Trim(line, "\t :")
}

func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}
