package statuspage

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// figure is a number on the page, with its chart.
type figure struct {
	Name, Value, Note string
	Chart             *chart // nil: it has none
}

// chart is a line over time, in a box of chartWidth by chartHeight.
type chart struct {
	Label string   // what it shows, in words
	Line  string   // path
	Area  string   // path
	Top   string   // the value at its upper edge
	Times []string // at the left edge, the middle and the right edge
}

const (
	chartWidth  = 240
	chartHeight = 48
)

// chart draws values of the history's steps, the newest at the right end; NaN is a gap. The
// box reaches from 0 to the largest value, or to minimum if that is more.
func (h history) chart(name string, values []float64, minimum float64, format func(float64) string) *chart {
	c := &chart{Label: name + ": no values yet"}
	most, last, any := minimum, math.NaN(), false
	for _, v := range values {
		if !math.IsNaN(v) {
			most, last, any = max(most, v), v, true
		}
	}
	if !any {
		return c
	}
	c.Label = fmt.Sprintf("%s over the last minutes: %s at last, the chart's top is %s", name, format(last), format(most))
	var line, area strings.Builder
	const step = float64(chartWidth) / (maxSamples - 2)
	from := -1
	for i := range len(values) + 1 {
		if i < len(values) && !math.IsNaN(values[i]) {
			if from < 0 {
				from = i
			}
			continue
		}
		if from >= 0 {
			drawRun(&line, &area, values[from:i], chartWidth-float64(len(values)-1-from)*step, step, most)
			from = -1
		}
	}
	c.Top, c.Times = format(most), h.times()
	c.Line, c.Area = line.String(), area.String()
	return c
}

// times labels the axis of a chart, as far back as it may reach.
func (h history) times() []string {
	last, first := h[len(h)-1].at.UTC(), h[0].at.UTC()
	span := last.Sub(first) / time.Duration(len(h)-1) * (maxSamples - 2)
	layout := "15:04"
	if span < 5*time.Minute {
		layout = "15:04:05"
	}
	return []string{last.Add(-span).Format(layout), last.Add(-span / 2).Format(layout), last.Format(layout)}
}

// drawRun draws values that have no gap among them, from x on. One alone is as
// wide as a step, so that it can be seen.
func drawRun(line, area *strings.Builder, values []float64, x, step, most float64) {
	if len(values) == 1 {
		x, values = x-step, []float64{values[0], values[0]}
	}
	begin := x
	for i, v := range values {
		command := "L"
		if i == 0 {
			command = "M"
		}
		point := command + coordinate(x) + " " + coordinate(chartHeight-2-(chartHeight-4)*v/most)
		line.WriteString(point)
		area.WriteString(point)
		x += step
	}
	fmt.Fprintf(area, "L%s %dL%s %dZ", coordinate(x-step), chartHeight, coordinate(begin), chartHeight)
}

func coordinate(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// latencyFigure shows the 95th percentile of the last minutes, with the 50th and the 99th.
func (h history) latencyFigure(name, label string, of func(sample) latency) figure {
	l := h.lastLatency(of)
	values := h.steps(func(a, b sample) float64 { return of(b).since(of(a)).quantile(0.95) })
	return figure{
		Name: name + ", p95", Value: inMilliseconds(l.quantile(0.95)),
		Note:  "p50 " + inMilliseconds(l.quantile(0.5)) + ", p99 " + inMilliseconds(l.quantile(0.99)),
		Chart: h.chart(label, values, 1, inMilliseconds),
	}
}
