package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// load is what wrk or h2load sends.
type load struct {
	path        string   // with query
	header      []string // "Name: value"
	script      string   // file of a script in Lua, for wrk; "" for none
	http2       bool     // by h2load
	connections int
}

// sample is one row in one round.
type sample struct {
	requests int
	rate     float64       // requests/s
	p50, p99 time.Duration // latency
	cpu      time.Duration // of the server, for 1,000 requests
	fetched  float64       // share of the requests that reached the origin
}

// drive sends a load to s, and measures the CPU time of s meanwhile.
func (m *machine) drive(ctx context.Context, s *server, l load, d time.Duration, start int) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, d+20*time.Second)
	defer cancel()
	before, err := cpu(s.cmd.Process.Pid)
	if err != nil {
		return sample{}, err
	}
	send := m.wrk
	if l.http2 {
		send = m.h2load
	}
	got, err := send(ctx, s.url, l, d, start)
	if err != nil {
		return sample{}, err
	}
	after, err := cpu(s.cmd.Process.Pid)
	got.cpu = (after - before) * 1000 / time.Duration(got.requests)
	return got, err
}

// wrk sends a load by HTTP/1.1. Caddy with cache-handler has responses that take longer than the
// 2 s after which wrk reports an error by default.
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
)

// parseWrk parses the output of wrk. Responses with an error are an error: servers send
// them faster than the measured ones.
func parseWrk(out string) (sample, error) {
	for _, bad := range []string{"Non-2xx", "Socket errors"} {
		if _, rest, found := strings.Cut(out, bad); found {
			line, _, _ := strings.Cut(rest, "\n")
			return sample{}, errors.New("wrk: " + bad + line)
		}
	}
	var s sample
	var problems [4]error
	s.requests, problems[0] = strconv.Atoi(find(wrkRequests, out))
	s.rate, problems[1] = strconv.ParseFloat(find(wrkRate, out), 64)
	s.p50, problems[2] = time.ParseDuration(find(wrkP50, out))
	s.p99, problems[3] = time.ParseDuration(find(wrkP99, out))
	if err := errors.Join(problems[:]...); err != nil {
		return sample{}, fmt.Errorf("unexpected output of wrk: %w: %s", err, out)
	}
	if s.requests == 0 {
		return sample{}, errNoResponse
	}
	return s, nil
}

var errNoResponse = errors.New("no response in the time of a row")

func find(r *regexp.Regexp, s string) string {
	if m := r.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}
