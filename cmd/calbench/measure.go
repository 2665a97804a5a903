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
	failed error // why there is nothing of it
	alone  bool  // nothing of its base, and so no ratios
	middle sample
	cpu    ratio
	p50    ratio
	p99    ratio
}

// ratio is how many times the base: the median of those within each turn, and
// the lowest and highest.
type ratio struct{ middle, lowest, highest float64 }

// of returns the ratio of a measure.
func (m measured) of(by measure) ratio {
	return map[measure]ratio{byCPU: m.cpu, byP50: m.p50, byP99: m.p99}[by]
}

// measure runs the rows of a group in turn, as often as the settings say.
func (b *lab) measure(ctx context.Context, g group, body string, progress io.Writer) ([]measured, error) {
	t := turns{samples: map[string][]sample{}, failed: map[string]error{}}
	for turn := range b.settings.runs {
		_, _ = fmt.Fprintf(progress, "%s, %s: turn %d of %d\n", g.title, body, turn+1, b.settings.runs)
		for _, r := range g.rows {
			s, err := b.servers[r.server], b.failed[r.server]
			if t.failed[r.name] != nil || s == nil && err == nil {
				continue
			}
			var got sample
			if err == nil {
				got, err = b.turn(ctx, g, r, s, body)
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

// turns are what rows gave so far, by name. A row that failed in any turn has
// failed: turn for turn, what is left of it has no base to be compared with.
type turns struct {
	samples map[string][]sample
	failed  map[string]error
}

func (t turns) add(name string, s sample, err error) {
	if err != nil {
		delete(t.samples, name)
		t.failed[name] = err
		return
	}
	t.samples[name] = append(t.samples[name], s)
}

// ran is whether the server of a row is there, and be it that it fails.
func (t turns) ran(name string) bool { return t.failed[name] != nil || t.samples[name] != nil }

// rows are those of the group that ran, then its further targets against such.
func (t turns) rows(g group, body string) []measured {
	var all []measured
	for _, r := range g.rows {
		if t.ran(r.name) {
			all = append(all, t.row(r))
		}
	}
	for _, r := range g.also {
		if r.most[body] > 0 && t.ran(r.name) && t.ran(r.base) {
			all = append(all, t.row(r))
		}
	}
	return all
}

func (t turns) row(r row) measured {
	if err := t.failed[r.name]; err != nil {
		return measured{row: r, failed: err}
	}
	base := t.samples[r.base]
	if r.base == "" {
		base = t.samples[r.name]
	}
	return compare(r, t.samples[r.name], base)
}

// turn runs one row once, and counts what the origin had to answer meanwhile.
func (b *lab) turn(ctx context.Context, g group, r row, s *server, body string) (sample, error) {
	connections := g.connections
	if r.few {
		connections = fewConnections
	}
	l, err := b.asks(body, r.server, r.ask, connections)
	if err != nil {
		return sample{}, err
	}
	before, err := b.answered()
	if err != nil {
		return sample{}, err
	}
	b.turns++
	got, err := b.machine.drive(ctx, s, l, b.settings.seconds, b.turns*10_000_000)
	if err != nil {
		return sample{}, err
	}
	after, err := b.answered()
	got.fetched = float64(after-before) / float64(got.requests)
	return got, err
}

// answered is how many requests the origin has answered so far.
func (b *lab) answered() (n int, err error) {
	_, body, err := get(b.servers["origin"].url + countPath)
	if err == nil {
		n, err = strconv.Atoi(string(body))
	}
	return n, err
}

// compare gives the medians of a row, and of its ratios to the base within each
// turn.
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

// median is that of what value gives for each sample.
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
