package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// load is a load that wrk or h2load sends.
type load struct {
	path        string   // with query
	header      []string // "Name: value"
	script      string   // file of a Lua script for wrk; "" runs wrk without a script
	http2       bool     // by h2load
	connections int
}

// sample is one row in one round.
type sample struct {
	requests int
	rate     float64       // requests/s
	p50, p99 time.Duration // latency
	cpu      time.Duration // of the server, for 1,000 requests
	ratio    float64       // of cpu to the base in this round
}

// pathOf returns the path of a body at a server.
func pathOf(body, server string) string {
	base := "/wp-json/" + legacyNamespace + "/events"
	if slices.Contains([]string{bare, facade, withRedis, reverse}, server) {
		base = "/wp-json/" + mapping.Namespace + "/events"
	}
	if body == bodySingle {
		return base + "/129"
	}
	return base + "?per_page=16&start_date=2026-01-01"
}

// loadOf returns the load of a kind of request.
func (b *lab) loadOf(body string, r row, connections int) (load, error) {
	l := load{path: pathOf(body, r.server), connections: connections, http2: r.request == "http2"}
	kind, coding, _ := strings.Cut(r.request, " ")
	if kind == "gzip" || coding == "gzip" {
		l.header = []string{"Accept-Encoding: gzip"}
	}
	script := ""
	switch kind {
	case "304":
		l.header = []string{"If-None-Match: " + b.tags[body]}
	case "proxied":
		l.header = append(l.header, proxytest.Proxied...)
		script = fmt.Sprintf(identified, l.path)
	case "new":
		numbered := l.path + "&search=%d"
		if body == bodySingle {
			numbered = strings.TrimSuffix(l.path, "129") + "%d"
		}
		script = fmt.Sprintf(countUp, numbered)
	}
	if script == "" {
		return l, nil
	}
	b.scripts++
	file, err := b.machine.file(fmt.Sprintf("%d.lua", b.scripts), script)
	l.script = file
	return l, err
}

// countUp is a script that numbers the requests: %d of the path grows from the number on the command line.
const countUp = `local n = 0
function init(args) n = tonumber(args[1]) end
function request()
  n = n + 1
  return wrk.format(nil, string.format(%q, n))
end
`

// identified is a script that sends an X-Request-Id with each request, as proxies do.
const identified = `local at, made = 0, {}
function init(args)
  math.randomseed(tonumber(args[1]))
  local function part() return math.random(0, 65535) end
  for i = 1, 1024 do
    wrk.headers["X-Request-Id"] = string.format("%%04x%%04x-%%04x-%%04x-%%04x-%%04x", part(), part(), part(), part(), part(), part())
    made[i] = wrk.format(nil, %q)
  end
end
function request()
  at = at %% #made + 1
  return made[at]
end
`

// drive sends a load to s, and measures the CPU time of s meanwhile.
func (m *machine) drive(ctx context.Context, s *server, l load, d time.Duration, start int) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, d+20*time.Second)
	defer cancel()
	startUsage, err := usageOf(s.pid)
	if err != nil {
		return sample{}, err
	}
	send := m.wrk
	if l.http2 {
		send = m.h2load
	}
	result, err := send(ctx, s.url, l, d, start)
	if err == nil && result.requests == 0 {
		err = errors.New("no response in the time of a row")
	}
	if err != nil {
		return sample{}, err
	}
	endUsage, err := usageOf(s.pid)
	result.cpu = (endUsage.cpu - startUsage.cpu) * 1000 / time.Duration(result.requests)
	return result, err
}

// wrk sends a load by HTTP/1.1.
func (m *machine) wrk(ctx context.Context, url string, l load, d time.Duration, start int) (sample, error) {
	args := []string{"-t1", fmt.Sprintf("-c%d", l.connections), fmt.Sprintf("-d%ds", int(d/time.Second)), "--latency", "--timeout", "10s"}
	for _, h := range l.header {
		args = append(args, "-H", h)
	}
	if l.script != "" {
		args = append(args, "-s", l.script)
	}
	args = append(args, url+l.path)
	if l.script != "" {
		args = append(args, "--", strconv.Itoa(start))
	}
	out, err := m.command(ctx, "wrk", args...).Output()
	if err != nil {
		return sample{}, fmt.Errorf("wrk: %w: %s", err, out)
	}
	return parseWrk(string(out))
}

var (
	wrkRequests = regexp.MustCompile(`(\d+) requests in `)
	wrkRate     = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`)
	wrkP50      = regexp.MustCompile(`\s50%\s+(\S+)`)
	wrkP99      = regexp.MustCompile(`\s99%\s+(\S+)`)
	wrkFailed   = regexp.MustCompile(`(?:Non-2xx|Socket errors).*`)
)

// parseWrk parses the output of wrk. Responses with an error are an error: servers send them faster than the measured ones.
func parseWrk(out string) (s sample, err error) {
	bad := wrkFailed.FindString(out)
	if bad != "" {
		return s, errors.New("wrk: " + bad)
	}
	var problems [4]error
	s.requests, problems[0] = strconv.Atoi(find(wrkRequests, out))
	s.rate, problems[1] = strconv.ParseFloat(find(wrkRate, out), 64)
	s.p50, problems[2] = time.ParseDuration(find(wrkP50, out))
	s.p99, problems[3] = time.ParseDuration(find(wrkP99, out))
	if err := errors.Join(problems[:]...); err != nil {
		return sample{}, fmt.Errorf("unexpected output of wrk: %w: %s", err, out)
	}
	return s, nil
}

// h2load sends a load by HTTP/2 over TLS, one request at a time on each connection.
func (m *machine) h2load(ctx context.Context, url string, l load, d time.Duration, _ int) (sample, error) {
	log := filepath.Join(m.dir, "h2load.log")
	out, err := m.command(ctx, h2load, "-t1", "-m1", fmt.Sprintf("-c%d", l.connections), fmt.Sprintf("-D%d", int(d/time.Second)),
		"--log-file="+log, url+l.path).Output()
	if err != nil {
		return sample{}, fmt.Errorf("h2load: %w: %s", err, out)
	}
	s, err := parseH2load(string(out))
	if err != nil {
		return sample{}, err
	}
	f, err := os.Open(log)
	if err != nil {
		return sample{}, err
	}
	s.p50, s.p99, err = latencies(f)
	return s, errors.Join(err, f.Close(), os.Remove(log))
}

var (
	h2loadRate     = regexp.MustCompile(`finished in \S+, ([\d.]+) req/s`)
	h2loadRequests = regexp.MustCompile(`requests: .* (\d+) done, `)
	h2loadGood     = regexp.MustCompile(`\D0 failed, 0 errored, 0 timeout\nstatus codes: \d+ 2xx, 0 3xx, 0 4xx, 0 5xx`)
)

// parseH2load parses the output of h2load, with errors as parseWrk.
func parseH2load(out string) (s sample, err error) {
	if !h2loadGood.MatchString(out) {
		return s, fmt.Errorf("h2load: failed requests: %s", out)
	}
	var problems [2]error
	s.requests, problems[0] = strconv.Atoi(find(h2loadRequests, out))
	s.rate, problems[1] = strconv.ParseFloat(find(h2loadRate, out), 64)
	if err := errors.Join(problems[:]...); err != nil {
		return sample{}, fmt.Errorf("unexpected output of h2load: %w: %s", err, out)
	}
	return s, nil
}

// latencies returns percentiles of a log of h2load: a line a request, with the microseconds to the response
// in the third field.
func latencies(log io.Reader) (p50, p99 time.Duration, err error) {
	var durations []time.Duration
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var began, status, took int64
		if _, err := fmt.Sscan(lines.Text(), &began, &status, &took); err != nil {
			return 0, 0, fmt.Errorf("unexpected log of h2load: %w: %q", err, lines.Text())
		}
		durations = append(durations, time.Duration(took)*time.Microsecond)
	}
	if len(durations) == 0 || lines.Err() != nil {
		return 0, 0, errors.Join(errors.New("the log of h2load is empty"), lines.Err())
	}
	return percentile(durations, 50), percentile(durations, 99), nil
}

// percentile sorts durations.
func percentile(durations []time.Duration, n int) time.Duration {
	slices.Sort(durations)
	return durations[(len(durations)-1)*n/100]
}

func find(r *regexp.Regexp, s string) string {
	m := r.FindStringSubmatch(s)
	if m != nil {
		return m[1]
	}
	return ""
}
