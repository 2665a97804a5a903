package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

// measured is the result of a row: the medians of its rounds.
type measured struct {
	row    row
	failed error // why it was not measured
	alone  bool  // its base was not measured: no ratios
	middle sample
	cpu    ratio
	p50    ratio
	p99    ratio
}

// ratio is a ratio to the base: the median of those within each round, and
// the lowest and highest.
type ratio struct{ middle, lowest, highest float64 }

// of returns the ratio of a measure.
func (m measured) of(by measure) ratio {
	return map[measure]ratio{byCPU: m.cpu, byP50: m.p50, byP99: m.p99}[by]
}

// measure runs the rows of a group one after the other, in each of the rounds of the settings.
func (b *lab) measure(ctx context.Context, g group, body string, progress io.Writer) ([]measured, error) {
	t := rounds{samples: map[string][]sample{}, failed: map[string]error{}}
	for round := range b.settings.runs {
		_, _ = fmt.Fprintf(progress, "%s, %s: round %d of %d\n", g.title, body, round+1, b.settings.runs)
		for _, r := range g.rows {
			s, err := b.servers[r.server], b.failed[r.server]
			if t.failed[r.name] != nil || s == nil && err == nil {
				continue
			}
			var got sample
			if err == nil {
				got, err = b.round(ctx, g, r, s, body)
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			t.add(r.name, got, err)
			if err != nil {
				_, _ = fmt.Fprintf(progress, "%s, %s: %v\n", r.name, body, err)
			}
		}
	}
	return t.rows(g, body), nil
}

// rounds are the samples of rows so far, by name. A row that failed in one round has
// failed: its other samples lack a base in that round.
type rounds struct {
	samples map[string][]sample
	failed  map[string]error
}

func (t rounds) add(name string, s sample, err error) {
	if err != nil {
		delete(t.samples, name)
		t.failed[name] = err
		return
	}
	t.samples[name] = append(t.samples[name], s)
}

// ran reports whether a row was measured or failed.
func (t rounds) ran(name string) bool { return t.failed[name] != nil || t.samples[name] != nil }

// rows returns the rows of the group that ran, then its further targets between them.
func (t rounds) rows(g group, body string) []measured {
	var all []measured
	for _, r := range g.rows {
		if t.ran(r.name) {
			all = append(all, t.row(r))
		}
	}
	for _, r := range g.targets {
		if r.limit[body] > 0 && t.ran(r.name) && t.ran(r.base) {
			all = append(all, t.row(r))
		}
	}
	return all
}

func (t rounds) row(r row) measured {
	if err := t.failed[r.name]; err != nil {
		return measured{row: r, failed: err}
	}
	base := t.samples[r.base]
	if r.base == "" {
		base = t.samples[r.name]
	}
	return compare(r, t.samples[r.name], base)
}

// round runs one row once, and counts the requests that reach the origin.
func (b *lab) round(ctx context.Context, g group, r row, s *server, body string) (sample, error) {
	connections := g.connections
	if r.few {
		connections = fewConnections
	}
	l, err := b.loadOf(body, r.server, r.request, connections)
	if err != nil {
		return sample{}, err
	}
	before, err := b.answered()
	if err != nil {
		return sample{}, err
	}
	b.rounds++
	got, err := b.machine.drive(ctx, s, l, b.settings.seconds, b.rounds*10_000_000)
	if err != nil {
		return sample{}, err
	}
	after, err := b.answered()
	got.fetched = float64(after-before) / float64(got.requests)
	return got, err
}

// answered returns the number of requests that the origin has answered so far.
func (b *lab) answered() (n int, err error) {
	_, body, err := get(b.servers["origin"].url + countPath)
	if err == nil {
		n, err = strconv.Atoi(string(body))
	}
	return n, err
}

// compare returns the medians of a row, and of its ratios to the base within each
// round.
func compare(r row, samples, base []sample) measured {
	m := measured{row: r, alone: base == nil, middle: sample{
		fetched: median(samples, func(s sample) float64 { return s.fetched }),
		rate:    median(samples, func(s sample) float64 { return s.rate }),
		p50:     time.Duration(median(samples, p50)),
		p99:     time.Duration(median(samples, p99)),
		cpu:     time.Duration(median(samples, perRequest)),
	}}
	if !m.alone {
		m.cpu, m.p50, m.p99 = ratios(samples, base, perRequest), ratios(samples, base, p50), ratios(samples, base, p99)
	}
	return m
}

func p50(s sample) float64        { return float64(s.p50) }
func p99(s sample) float64        { return float64(s.p99) }
func perRequest(s sample) float64 { return float64(s.cpu) }

func ratios(samples, base []sample, value func(sample) float64) ratio {
	values := make([]float64, len(samples))
	for i := range samples {
		values[i] = value(samples[i]) / value(base[i])
	}
	return ratio{middle(values), slices.Min(values), slices.Max(values)}
}

// median returns the median of a value of the samples.
func median(samples []sample, value func(sample) float64) float64 {
	values := make([]float64, len(samples))
	for i := range samples {
		values[i] = value(samples[i])
	}
	return middle(values)
}

func middle(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
