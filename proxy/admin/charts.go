package admin

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/proxy/telemetry"
)

// sample are totals of the metrics since the start of the process, and some of the present state.
type sample struct {
	Now              time.Time
	requests, failed float64 // failed: status 5xx
	lookups, hits    float64 // reads of the cache, and reads that the cache served
	seconds          float64 // sum of the durations of all requests

	InFlight, Memory float64   // requests; bytes of the process
	Certificate      time.Time // the end; zero without a certificate
	Version          string
}

// count adds requests with the same labels.
func (s *sample) count(n float64, label map[string]string) {
	s.requests += n
	if label["status"] == "5xx" {
		s.failed += n
	}
	switch label["cache"] {
	case telemetry.Hit.String(), telemetry.Stale.String(), telemetry.StaleIfError.String():
		s.hits += n
		s.lookups += n
	case telemetry.Miss.String(), telemetry.Expired.String():
		s.lookups += n
	}
}

// history are samples at equal intervals, the oldest first.
type history []sample

// maxSamples bounds a history to an hour of samples at the default interval.
const maxSamples = 241

// since returns the first sample at or after a time; last without such a sample.
func (h history) since(t time.Time, last sample) sample {
	i := slices.IndexFunc(h, func(s sample) bool { return !s.Now.Before(t) })
	if i >= 0 {
		return h[i]
	}
	return last
}

// chart shows a value over time as bars, one for each interval of a history.
type chart struct {
	Name, Value, Note string
	Label             string // for readers who do not see the chart
	Bars              string // path in a box of maxSamples-1 by chartHeight
	Axis              [3]string
}

const chartHeight = 40

// charts returns the charts of the page. last is the present sample.
func (h history) charts(last sample, interval time.Duration) []chart {
	return []chart{
		h.chart("Requests", last, interval, 0, "%.1f/s",
			func(a, b sample) float64 { return (b.requests - a.requests) / b.Now.Sub(a.Now).Seconds() }),
		h.chart("Served from the cache", last, interval, 100, "%.0f %%",
			func(a, b sample) float64 { return 100 * (b.hits - a.hits) / (b.lookups - a.lookups) }),
		h.chart("Time to answer", last, interval, 0, "%.1f ms",
			func(a, b sample) float64 { return 1000 * (b.seconds - a.seconds) / (b.requests - a.requests) }),
	}
}

// chart draws the value of each interval, which valueOf returns; NaN is a gap. The box reaches from 0 to
// the highest value, or to least.
func (h history) chart(name string, last sample, interval time.Duration, least float64, format string,
	valueOf func(a, b sample) float64) chart {
	text := func(v float64) string {
		if math.IsNaN(v) {
			return "–"
		}
		return fmt.Sprintf(format, v)
	}
	begin := last.Now.Add(-(maxSamples - 1) * interval)
	highest := math.NaN()
	for i := 1; i < len(h); i++ {
		v := valueOf(h[i-1], h[i])
		if !math.IsNaN(v) && !(v <= highest) {
			highest = v
		}
	}
	top := math.Max(highest, least) // NaN without a bar
	var bars strings.Builder
	for i := 1; i < len(h); i++ {
		v := valueOf(h[i-1], h[i])
		if v > 0 {
			fmt.Fprintf(&bars, "M%d.5 %dV%.1f", maxSamples-1-len(h)+i, chartHeight, chartHeight*(1-v/top))
		}
	}
	value := text(valueOf(h.since(last.Now.Add(-time.Minute), last), last))
	return chart{
		Name: name, Value: value, Bars: bars.String(), Note: text(valueOf(h.since(begin, last), last)) + " in the last hour",
		Label: fmt.Sprintf("%s in the last hour: %s at last, %s at most", name, value, text(highest)),
		Axis:  [3]string{begin.UTC().Format("15:04"), "highest " + text(highest), last.Now.UTC().Format("15:04")},
	}
}
