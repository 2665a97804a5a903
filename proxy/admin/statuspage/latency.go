package statuspage

import "math"

// latency counts by duration since start, in the buckets of a histogram.
type latency struct {
	bounds []float64 // upper ends in seconds, ascending
	below  []float64 // as many took at most that long
	all    float64
}

// latencies reads a histogram: all of it, and by the values of a label.
func latencies(histogram []point, label string) (all latency, by map[string]latency) {
	by = map[string]latency{}
	for _, p := range histogram {
		all.add(p)
		one := by[p.label[label]]
		one.add(p)
		by[p.label[label]] = one
	}
	return all, by
}

// add adds a series with the same bounds.
func (l *latency) add(p point) {
	if l.bounds == nil {
		l.bounds, l.below = p.bounds, make([]float64, len(p.bounds))
	}
	for i, n := range p.below {
		l.below[i] += n
	}
	l.all += p.count
}

// since is what was counted after o.
func (l latency) since(o latency) latency {
	d := latency{bounds: l.bounds, below: make([]float64, len(l.below)), all: l.all - o.all}
	for i, n := range l.below {
		d.below[i] = n
		if o.below != nil {
			d.below[i] -= o.below[i]
		}
	}
	return d
}

// quantile estimates a quantile in milliseconds, evenly within its bucket as Prometheus
// does. It is the last bound for what took longer, and NaN if nothing was counted.
func (l latency) quantile(q float64) float64 {
	if l.all == 0 {
		return math.NaN()
	}
	rank, from, before := q*l.all, 0.0, 0.0
	for i, n := range l.below {
		if n >= rank {
			return 1000 * (from + (l.bounds[i]-from)*(rank-before)/(n-before))
		}
		from, before = l.bounds[i], n
	}
	return 1000 * from
}
