package statuspage

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/proxy/telemetry"
)

// sample are totals of the metrics since the start of the process.
type sample struct {
	at               time.Time
	requests, failed float64 // failed: status 5xx
	refused          float64 // writes that failed
	lookups, hits    float64 // reads of the cache, and those that it served
	seconds          float64 // sum of the durations of all requests
}

var (
	served  = []string{telemetry.Hit.String(), telemetry.Stale.String(), telemetry.StaleIfError.String()}
	fetched = []string{telemetry.Miss.String(), telemetry.Expired.String(), telemetry.Renewed.String()}
)

func newSample(at time.Time, m metrics) sample {
	s := sample{at: at}
	for _, r := range m["calfacade_requests_total"] {
		s.requests += r.value
		if r.Label["status"] == "5xx" {
			s.failed += r.value
			if r.Label["method"] == "write" {
				s.refused += r.value
			}
		}
		if slices.Contains(served, r.Label["cache"]) {
			s.hits += r.value
			s.lookups += r.value
		}
		if slices.Contains(fetched, r.Label["cache"]) {
			s.lookups += r.value
		}
	}
	for _, r := range m["calfacade_request_duration_seconds"] {
		s.seconds += r.value
	}
	return s
}

// history are samples at equal intervals, the oldest first.
type history []sample

// maxSamples bounds a history to an hour of samples at the default interval.
const maxSamples = 241

// since returns the first sample at or after a time; last if there is none.
func (h history) since(t time.Time, last sample) sample {
	if i := slices.IndexFunc(h, func(s sample) bool { return !s.at.Before(t) }); i >= 0 {
		return h[i]
	}
	return last
}

// chart shows a value over time as bars, one for each interval of a history.
type chart struct {
	Name, Value, Note string
	Label             string // for readers who do not see it
	Bars              string // path in a box of maxSamples-1 by chartHeight
	Axis              [3]string
}

const chartHeight = 40

// charts returns the charts of the page. last is the present sample.
func (h history) charts(last sample, every time.Duration) []chart {
	return []chart{
		h.chart("Requests", last, every, 1, "%.1f/s", func(a, b sample) float64 { return (b.requests - a.requests) / b.at.Sub(a.at).Seconds() }),
		h.chart("Served from the cache", last, every, 100, "%.0f %%", func(a, b sample) float64 { return 100 * (b.hits - a.hits) / (b.lookups - a.lookups) }),
		h.chart("Time to answer", last, every, 1, "%.1f ms", func(a, b sample) float64 { return 1000 * (b.seconds - a.seconds) / (b.requests - a.requests) }),
	}
}

// chart draws the value of each interval, which of returns; NaN is a gap. The box reaches from 0 to
// the largest value, or to least.
func (h history) chart(name string, last sample, every time.Duration, least float64, format string, of func(from, to sample) float64) chart {
	text := func(v float64) string {
		if math.IsNaN(v) {
			return "–"
		}
		return fmt.Sprintf(format, v)
	}
	span, top := (maxSamples-1)*every, least
	var values []float64
	for i := 1; i < len(h); i++ {
		values = append(values, of(h[i-1], h[i]))
		if v := values[i-1]; !math.IsNaN(v) {
			top = max(top, v)
		}
	}
	var bars strings.Builder
	for i, v := range values {
		if v > 0 {
			fmt.Fprintf(&bars, "M%d.5 %dV%.1f", maxSamples-1-len(values)+i, chartHeight, chartHeight*(1-v/top))
		}
	}
	c := chart{
		Name: name, Bars: bars.String(), Value: text(of(h.since(last.at.Add(-time.Minute), last), last)),
		Note: text(of(h.since(last.at.Add(-span), last), last)) + " in the last hour",
		Axis: [3]string{last.at.Add(-span).UTC().Format("15:04"), "highest " + text(top), last.at.UTC().Format("15:04")},
	}
	c.Label = fmt.Sprintf("%s in the last hour: %s at last, %s at most", name, c.Value, text(top))
	return c
}
