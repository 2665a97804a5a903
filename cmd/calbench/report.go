package main

import (
	"errors"
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
	failed   []string // what could not be measured, and why
}

func newReport(s settings) *report {
	return &report{settings: s, began: time.Now().UTC(), load: loadAverage()}
}

func (r *report) addGroup(g group, body string, all []measured) {
	_, _ = fmt.Fprintf(&r.body, "\n## %s: %s\n\n", g.title, body)
	r.body.WriteString("| | req/s | CPU ms per 1,000 | p50 | p99 | CPU × | p50 × | p99 × | of | target | |\n|---|--:|--:|--:|--:|--:|--:|--:|---|---|---|\n")
	for _, m := range all {
		r.addRow(g, body, m)
	}
}

func (r *report) addRow(g group, body string, m measured) {
	name, of := m.row.name, m.row.base
	if of == "" {
		of = "itself"
	}
	if m.row.server == "" {
		name += ", against " + of
	}
	what := name + ", " + body
	if m.failed != nil {
		_, _ = fmt.Fprintf(&r.body, "| %s | | | | | | | | %s | | **failed**: %s |\n", name, of, r.fail(what, m.failed))
		return
	}
	if g.name != "misses" && m.middle.fetched > 0.001 {
		name += fmt.Sprintf(" (**%.0f %% were no hits**)", 100*m.middle.fetched)
	}
	target, verdict := "", ""
	if most := m.row.most[body]; most > 0 {
		target = fmt.Sprintf("%s at most %g", m.row.by, most)
		verdict = r.verdict(what, m, most)
	}
	_, _ = fmt.Fprintf(&r.body, "| %s | %.0f | %.2f | %s | %s | %s | %s | %s | %s | %s | %s |\n",
		name, m.middle.rate, float64(m.middle.cpu)/float64(time.Millisecond), m.middle.p50, m.middle.p99,
		m.times(m.cpu), m.times(m.p50), m.times(m.p99), of, target, verdict)
}

func (m measured) times(r ratio) string {
	if m.alone {
		return "–"
	}
	return fmt.Sprintf("%.2f", r.middle)
}

// verdict judges a row by its target.
func (r *report) verdict(what string, m measured, most float64) string {
	if m.alone {
		return "**failed**: " + r.fail(fmt.Sprintf("%s: target of %s", what, m.row.by), errNoBase)
	}
	got := m.of(m.row.by)
	return r.judge(got.middle <= most, fmt.Sprintf("%s: %s × %.2f, at most %g", what, m.row.by, got.middle, most)) +
		fmt.Sprintf(" (%.2f to %.2f)", got.lowest, got.highest)
}

var errNoBase = errors.New("nothing to compare it with")

func (r *report) addChecks(title string, checks []check, failed error) {
	_, _ = fmt.Fprintf(&r.body, "\n## %s\n\n", strings.ToUpper(title[:1])+title[1:])
	if failed != nil {
		_, _ = fmt.Fprintf(&r.body, "**failed**: %s\n", r.fail(title, failed))
		return
	}
	r.body.WriteString("| | | target | |\n|---|--:|---|---|\n")
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

// fail notes why something was not measured, as a line that fits into a table.
func (r *report) fail(what string, err error) string {
	why := strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "|", "/")), " ")
	r.failed = append(r.failed, what+": "+why)
	return why
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
	say("\n%d targets reached, %d missed; %d measurements failed.", r.reached, len(r.missed), len(r.failed))
	for _, m := range r.missed {
		say("- missed: %s", m)
	}
	for _, f := range r.failed {
		say("- failed: %s", f)
	}
	return s.String() + r.body.String()
}

const explained = `- Server, load (wrk, one thread) and origin share one core. CPU is the server's own, from /proc/PID/stat: for a proxy without
  the origin, with Redis without redis-server. Lower is better.
- Hits: 64 connections. The facade has the timeouts of calfacade serve, no access log, and no lane, but where the row says so. nginx,
  Varnish and HAProxy give the legacy's body as it is. HAProxy has one thread, and one process for the plain and another for the gzip row.
  A row of Redis whose calls take longer than their budget of 25 ms is no row of hits, and says so.
  "One key" shares lookups in Redis among the requests that wait for the same key; "256 keys" are singles or lists asked in turn.
  "Bare, with its timeouts and fields" is the bare handler with the server's timeouts and the header fields that the facade sends; with
  "Redis" its bodies come from there, by go-redis as it is. What these cost is not the facade's own.
- The lane: its targets are for 64 connections. With 1 and 1,024 the same ratios are shown; with 1 each request also wakes its server and
  its client, which is most of what it costs.
- Attack: clients that mean harm, at a facade with the lane and the default cache.memory of 256 MiB; the target is half as much
  again and 64 MB.
- Parts: the least of ten stretches; the others are ratios, these are not.
- "Resty, rewriting and storing alone" is a handler of these three, with the facade's timeouts and fields and nothing else of it.
- Misses: one connection; each request has a key of its own (search=N, /events/N). The origin answers all with two ready bodies, so that
  the proxy is what differs. What is stored is compressed after the answer, which on one core delays the next
  request: the row "rewriting and storing" is without that.
- Purges: 600 one after the other, from the call to its return, which is what a write waits for. The other instances are in one process,
  on the core that Redis has too. A purge among N instances is 2N commands: one appends it, each instance reads
  it, and each but the writer acknowledges it. On paper, 1,000 instances would cost 2,000 commands a purge, some 10 ms of Redis alone; so
  with more than 64 others none acknowledges, and a write waits for cache.purge_wait. The checks of the log are apart: ten transactions a second for each instance, purges or not.
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
