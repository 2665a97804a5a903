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
)

// h2load sends a load by HTTP/2 over TLS, one request at a time on each connection.
func (m *machine) h2load(ctx context.Context, url string, l load, d time.Duration, _ int) (sample, error) {
	log := filepath.Join(m.dir, "h2load.log")
	args := []string{"-t1", "-m1", fmt.Sprintf("-c%d", l.connections), fmt.Sprintf("-D%d", int(d/time.Second)), "--log-file=" + log}
	for _, h := range l.header {
		args = append(args, "-H", h)
	}
	out, err := m.command(ctx, "h2load", append(args, url+l.path)...).Output()
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
	h2loadOther    = regexp.MustCompile(`(\d+) failed, (\d+) errored, (\d+) timeout`)
	h2loadStatus   = regexp.MustCompile(`status codes: \d+ 2xx, \d+ 3xx, (\d+) 4xx, (\d+) 5xx`)
)

// parseH2load parses the output of h2load. Responses with an error are an error: servers
// send them faster than the measured ones.
func parseH2load(out string) (s sample, err error) {
	for _, bad := range []*regexp.Regexp{h2loadOther, h2loadStatus} {
		counts := bad.FindStringSubmatch(out)
		if counts == nil {
			return sample{}, fmt.Errorf("unexpected output of h2load: %s", out)
		}
		for _, n := range counts[1:] {
			if n != "0" {
				return sample{}, errors.New("h2load: " + counts[0])
			}
		}
	}
	var problems [2]error
	s.requests, problems[0] = strconv.Atoi(find(h2loadRequests, out))
	s.rate, problems[1] = strconv.ParseFloat(find(h2loadRate, out), 64)
	if err := errors.Join(problems[:]...); err != nil {
		return sample{}, fmt.Errorf("unexpected output of h2load: %w: %s", err, out)
	}
	if s.requests == 0 {
		return sample{}, errNoResponse
	}
	return s, nil
}

// latencies returns percentiles of a log of h2load: a line a request, its third field the
// microseconds to its response.
func latencies(log io.Reader) (p50, p99 time.Duration, err error) {
	var all []int
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 {
			return 0, 0, fmt.Errorf("unexpected log of h2load: %q", lines.Text())
		}
		n, err := strconv.Atoi(fields[2])
		if err != nil {
			return 0, 0, fmt.Errorf("unexpected log of h2load: %w", err)
		}
		all = append(all, n)
	}
	if err := lines.Err(); err != nil {
		return 0, 0, fmt.Errorf("log of h2load: %w", err)
	}
	if len(all) == 0 {
		return 0, 0, errors.New("the log of h2load is empty")
	}
	slices.Sort(all)
	at := func(share float64) time.Duration {
		return time.Duration(all[int(share*float64(len(all)-1))]) * time.Microsecond
	}
	return at(0.5), at(0.99), nil
}
