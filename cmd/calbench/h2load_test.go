package main

import (
	"strings"
	"testing"
	"time"
)

const h2loadOutput = `starting benchmark...
TLS Protocol: TLSv1.3
Application protocol: h2

finished in 1.02s, 7297.50 req/s, 35.17MB/s
requests: 7443 total, 7507 started, 7443 done, 7443 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 7443 2xx, 0 3xx, 0 4xx, 0 5xx
traffic: 35.17MB (36880134) total
`

func TestParseH2load(t *testing.T) {
	got, err := parseH2load(h2loadOutput)
	if want := (sample{requests: 7443, rate: 7297.5}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	for _, bad := range []string{
		"", strings.ReplaceAll(h2loadOutput, "7443", "0"), strings.Replace(h2loadOutput, "0 5xx", "3 5xx", 1),
		strings.Replace(h2loadOutput, "0 errored", "1 errored", 1), strings.Replace(h2loadOutput, "finished", "began", 1),
	} {
		if got, err := parseH2load(bad); err == nil {
			t.Errorf("%q: %+v, want an error", bad, got)
		}
	}
}

func TestLatencies(t *testing.T) {
	var log strings.Builder
	for range 98 {
		log.WriteString("1763900000000000\t200\t1500\n")
	}
	log.WriteString("1763900000000000\t200\t9000\n1763900000000000\t200\t20000\n")
	p50, p99, err := latencies(strings.NewReader(log.String()))
	if err != nil || p50 != 1500*time.Microsecond || p99 != 9*time.Millisecond {
		t.Errorf("got %s, %s, %v", p50, p99, err)
	}
	for _, bad := range []string{"", "1 2\n", "1 2 x\n"} {
		if _, _, err := latencies(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
