package statuspage

import (
	"math"
	"slices"
	"time"
)

// maxSamples limits the samples of a chart: at one every 5 s, the last ten minutes.
const maxSamples = 120

// history are samples, oldest first.
type history []sample

// steps gives a value for each step from a sample to the next; NaN stands for none.
func (h history) steps(of func(before, after sample) float64) []float64 {
	var values []float64
	for i := 1; i < len(h); i++ {
		v := of(h[i-1], h[i])
		if math.IsInf(v, 0) {
			v = math.NaN()
		}
		values = append(values, v)
	}
	return values
}

// rate returns events per second, at each step.
func (h history) rate(of func(sample) float64) []float64 {
	return h.steps(func(a, b sample) float64 { return (of(b) - of(a)) / b.at.Sub(a.at).Seconds() })
}

// lately gives what was counted within d before the end, or as far back as
// there are samples.
func (h history) lately(d time.Duration, of func(sample) tally) tally {
	if len(h) == 0 {
		return tally{}
	}
	last := h[len(h)-1]
	first := slices.IndexFunc(h, func(s sample) bool { return last.at.Sub(s.at) <= d })
	return of(last).since(of(h[first]))
}

// lastLatency is what was counted in the last minutes.
func (h history) lastLatency(of func(sample) latency) latency {
	if len(h) == 0 {
		return latency{}
	}
	return of(h[len(h)-1]).since(of(h[0]))
}

// latest is the last value; NaN if there is none.
func latest(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return values[len(values)-1]
}
