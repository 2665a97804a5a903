package statuspage

import "github.com/calfacade/calfacade/proxy/telemetry"

// metrics are the series of a scrape by the name of the metric.
type metrics map[string][]series

type series struct {
	Label map[string]string
	value float64 // of a histogram the sum
}

// One returns the value of a metric without labels; 0 if there is none.
func (m metrics) One(name string) float64 {
	if len(m[name]) == 0 {
		return 0
	}
	return m[name][0].value
}

// scrape returns the metrics, as far as they can be read.
func scrape(from *telemetry.Metrics) metrics {
	families, _ := from.Gatherer().Gather()
	m := metrics{}
	for _, f := range families {
		for _, read := range f.GetMetric() {
			s := series{Label: map[string]string{}, value: read.GetCounter().GetValue() + read.GetGauge().GetValue() + read.GetHistogram().GetSampleSum()}
			for _, l := range read.GetLabel() {
				s.Label[l.GetName()] = l.GetValue()
			}
			m[f.GetName()] = append(m[f.GetName()], s)
		}
	}
	return m
}
