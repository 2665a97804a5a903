package main

import (
	"slices"
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
	extra  time.Duration // p50 above that of the base
}

// ratio is a ratio to the base: the median of those within each round, and
// the lowest and highest.
type ratio struct{ middle, lowest, highest float64 }

// of returns the ratio of a measure.
func (m measured) of(by measure) ratio {
	return map[measure]ratio{byCPU: m.cpu, byP50: m.p50, byP99: m.p99}[by]
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

// compare returns the medians of a row, and of its ratios to the base within each
// round.
func compare(r row, samples, base []sample) measured {
	m := measured{row: r, alone: base == nil, middle: sample{
		fetched: median(samples, func(s sample) float64 { return s.fetched }),
		rate:    median(samples, func(s sample) float64 { return s.rate }),
		p50:     time.Duration(median(samples, p50Of)),
		p99:     time.Duration(median(samples, p99Of)),
		cpu:     time.Duration(median(samples, cpuOf)),
	}}
	if !m.alone {
		m.cpu, m.p50, m.p99 = ratios(samples, base, cpuOf), ratios(samples, base, p50Of), ratios(samples, base, p99Of)
		m.extra = m.middle.p50 - time.Duration(median(base, p50Of))
	}
	return m
}

func p50Of(s sample) float64 { return float64(s.p50) }

func p99Of(s sample) float64 { return float64(s.p99) }

func cpuOf(s sample) float64 { return float64(s.cpu) }

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
