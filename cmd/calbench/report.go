package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"
)

// report collects the text of BENCHMARKS.md.
type report struct {
	settings settings
	began    time.Time
	load     string // load average at the start
	body     strings.Builder
	reached  int
	missed   []string
	failed   []string // measurements that failed, with their reasons
	ended    string   // the group in which the run was interrupted; "" for a whole run
}

func newReport(s settings) *report {
	return &report{settings: s, began: time.Now().UTC(), load: loadAverage()}
}

// interrupt notes the group in which the run ended before it was whole.
func (r *report) interrupt(group string, err error) error {
	r.ended = group
	return fmt.Errorf("%s: %w", group, err)
}

func (r *report) addGroup(g group, body string, all []measured) {
	_, _ = fmt.Fprintf(&r.body, "\n## %s: %s\n\n", g.title, body)
	r.body.WriteString("| | req/s | CPU ms per 1,000 | p50 | p99 | CPU × | p50 × | p99 × | base | target | verdict |\n|---|--:|--:|--:|--:|--:|--:|--:|---|---|---|\n")
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
	if m.middle.fetched > g.misses*1.2+0.001 {
		name += fmt.Sprintf(" (**%.0f %% were no hits**)", 100*m.middle.fetched)
	}
	target, verdict := "", ""
	if limit := m.row.limit[body]; limit > 0 {
		target = fmt.Sprintf("%s at most %g", m.row.by, limit)
		verdict = r.verdict(what, m, limit)
	}
	if site := m.row.beside; site > 0 && !m.alone {
		verdict = fmt.Sprintf("%+d µs, %.1f %% of a site's %s", m.extra.Microseconds(), 100*float64(m.extra)/float64(site), site)
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

// verdict compares a row with its limit.
func (r *report) verdict(what string, m measured, limit float64) string {
	if m.alone {
		return "**failed**: " + r.fail(fmt.Sprintf("%s: target of %s", what, m.row.by), errNoBase)
	}
	got := m.of(m.row.by)
	return r.judge(got.middle <= limit, fmt.Sprintf("%s: %s × %.2f, at most %g", what, m.row.by, got.middle, limit)) +
		fmt.Sprintf(" (%.2f to %.2f)", got.lowest, got.highest)
}

var errNoBase = errors.New("nothing to compare it with")

func (r *report) addChecks(title string, checks []check, failed error) {
	_, _ = fmt.Fprintf(&r.body, "\n## %s\n\n", strings.ToUpper(title[:1])+title[1:])
	if failed != nil {
		_, _ = fmt.Fprintf(&r.body, "**failed**: %s\n", r.fail(title, failed))
		return
	}
	r.body.WriteString("| | | target | verdict |\n|---|--:|---|---|\n")
	for _, c := range checks {
		target, verdict := "", ""
		if c.Limit > 0 {
			word, ok := "at most", c.Got <= c.Limit
			if c.Minimum {
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

// fail records a failed measurement, and returns its reason as text for a table.
func (r *report) fail(what string, err error) string {
	why := strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "|", "/")), " ")
	r.failed = append(r.failed, what+": "+why)
	return why
}

// text returns the report.
func (r *report) text(b *lab) string {
	var s strings.Builder
	printf := func(format string, args ...any) { _, _ = fmt.Fprintf(&s, format+"\n", args...) }
	printf("# Benchmarks\n\nWritten by `go run ./cmd/calbench`, %s UTC.\n", r.began.Format(time.DateTime))
	printf("- Machine: %s, %d cores, %s; load average %s at the start and %s at the end.", cpuModel(), runtime.NumCPU(), runtime.Version(), r.load, loadAverage())
	printf("- Bodies: a list of %d and a single event of %d bytes, of the legacy stand-in.", b.sizes[bodyList], b.sizes[bodySingle])
	if len(b.missing) > 0 {
		printf("- Not installed, so omitted: %s.", strings.Join(b.missing, ", "))
	}
	printf("- Each number is the median of %d rounds of %s; each × is the median of the ratios within a round, followed by the lowest and highest in the verdict.", r.settings.runs, r.settings.seconds)
	s.WriteString(notes)
	printf("\n%d targets reached, %d missed; %d measurements failed.", r.reached, len(r.missed), len(r.failed))
	if r.ended != "" {
		printf("\n**Interrupted** in %q: this group and those after it are missing.", r.ended)
	}
	for _, m := range r.missed {
		printf("- missed: %s", m)
	}
	for _, f := range r.failed {
		printf("- failed: %s", f)
	}
	return s.String() + r.body.String()
}

const notes = `- Server, load (wrk, one thread) and origin share one core. CPU is the server's own, from /proc/PID/stat: without the origin for a proxy,
  and without redis-server for Redis. Lower is better.
- Hits: 64 connections. The facade has the timeouts of calfacade serve and no access log, and no lane unless the row names it. nginx,
  Varnish and HAProxy serve the legacy's body unchanged. HAProxy has one thread, and one process each for plain and gzip.
  Calls to Redis that exceed their budget of 25 ms become misses; the row then shows their share.
  "One key" shares lookups in Redis among the requests that wait for the same key; "256 keys" requests as many singles or lists in turn.
  "Bare" is a handler with a router and a ready body. "Timeouts and fields" adds the timeouts of the server and the header fields that
  the facade sends; "Redis" reads the bodies from Redis with go-redis. These costs are not the facade's own: the targets are against them.
- The lane: the targets apply to 64 connections. The groups with 1 and 1,024 connections show the same ratios. With 1 connection, each
  request also wakes its server and its client, which is most of its cost. The lane hands requests with X-Calfacade-Tester to net/http.
- Behind a proxy: requests have the header fields of a browser, those that ingress-nginx and Envoy add, and an X-Request-Id each.
  nginx sends a plain list with sendfile, which copies nothing; the lane copies it to the socket, for about 1.4 µs.
  "Sockets in Go" reads until a blank line and writes a ready response: the least that a program with Go's sockets takes. Its p99 is
  that of Go's runtime: connections that become readable together run in reverse order, and its threads and wrk share the core in
  slices of 1 to 4 ms, while nginx, a single thread, lets wrk run after each response.
  The lane cannot take less than that row, most of which is the kernel's. What it takes beyond that, to read a request, find the entry,
  count and write a head, is some microseconds, which no client of a site that takes 40 ms notices.
- TLS: a certificate with an ECDSA key (P-256); connections are kept. Rows with more than one connection take 4 s at least, because
  handshakes delay the requests of the first tenth of a second by some 10 ms. HTTP/2 is sent by h2load, one request at a time on each
  connection. "Bare" has the facade's timeouts and fields. Varnish has no TLS of its own.
- Hits and misses: keys are drawn by Zipf's law (exponent 1) from 1,000, all in the cache; the stated share are new keys, for which the
  origin takes 40 ms. No target of CPU: a miss of a list takes the facade about 0.56 ms of CPU (compression 0.16, rewriting 0.10, the call
  0.07, and net/http), where nginx copies. With 99 % hits that is 6 µs a request, beside 400 µs that requests wait for the origin on average.
- Caddy has the module cache-handler, which stores responses in its memory.
- Attack: malicious clients, and a facade with the lane and the default cache.memory of 256 MiB; the target is 1.5 times that, plus 64 MB.
- Idle: 10,000 connections of HTTP/1.1, each after one response; by how much the resident memory of a new process grows.
- Parts: the minimum of ten runs. These are no ratios.
- "Resty, rewriting and storing only" is a handler of these three parts, with the facade's timeouts and fields.
- Misses: one connection; each request has its own key (search=N, /events/N). The origin serves two ready bodies, so that rows differ by
  the proxy alone. Responses are compressed after they are sent, which delays the next request on a single core: the row "rewriting and
  storing" is without compression.
  Twice the ReverseProxy is what resty and the rewriting cost alone: the target is against these, and a row shows what a client waits.
- Hits with Redis configured: memory serves them, each after a look at the log in Redis that began after the request arrived; requests that
  wait share one. With 1 connection nothing is shared: a hit takes one round trip of Redis more, which is most of its cost. The rows without
  Redis run beside these in each round.
- Commands: all that Redis runs, checks included, divided by the requests.
- Purges: 600 in sequence, each from the call to its return, which is the time that a write waits. The other instances are in one process,
  on the core that Redis also uses, and look at the log every 10 ms, as if 100 requests came each second.
`
