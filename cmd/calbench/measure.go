package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

// measured is what the turns found of a row, middle values.
type measured struct {
	row     row
	middle  sample
	cpu     float64 // times the base
	p50     float64 // likewise
	lowest  float64 // of what is compared, among the turns
	highest float64
}

// measure runs the rows of a group in turn, as often as the settings say.
func (b *lab) measure(ctx context.Context, g group, body string, progress io.Writer) ([]measured, error) {
	turns := map[string][]sample{}
	for turn := range b.settings.runs {
		_, _ = fmt.Fprintf(progress, "%s, %s: turn %d of %d\n", g.title, body, turn+1, b.settings.runs)
		for _, r := range g.rows {
			s := b.servers[r.server]
			if s == nil {
				continue
			}
			got, err := b.turn(ctx, g, r, s, body)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", r.name, body, err)
			}
			turns[r.name] = append(turns[r.name], got)
		}
	}
	var all []measured
	for _, r := range g.rows {
		if samples := turns[r.name]; samples != nil {
			all = append(all, compare(r, samples, turns[r.base]))
		}
	}
	return all, nil
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
	if base == nil {
		base = samples
	}
	m := measured{row: r, middle: sample{
		fetched: median(samples, func(i int) float64 { return samples[i].fetched }),
		rate:    median(samples, func(i int) float64 { return samples[i].rate }),
		p50:     time.Duration(median(samples, func(i int) float64 { return float64(samples[i].p50) })),
		p99:     time.Duration(median(samples, func(i int) float64 { return float64(samples[i].p99) })),
		cpu:     time.Duration(median(samples, func(i int) float64 { return float64(samples[i].cpu) })),
	}}
	cpu := func(i int) float64 { return float64(samples[i].cpu) / float64(base[i].cpu) }
	p50 := func(i int) float64 { return float64(samples[i].p50) / float64(base[i].p50) }
	m.cpu, m.p50 = median(samples, cpu), median(samples, p50)
	ratio := cpu
	if r.by == byP50 {
		ratio = p50
	}
	m.lowest, m.highest = ratio(0), ratio(0)
	for i := range samples {
		m.lowest, m.highest = min(m.lowest, ratio(i)), max(m.highest, ratio(i))
	}
	return m
}

// median is that of what value gives for each sample.
func median(samples []sample, value func(i int) float64) float64 {
	values := make([]float64, len(samples))
	for i := range samples {
		values[i] = value(i)
	}
	return middle(values)
}

func middle(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
