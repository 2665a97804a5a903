package telemetry

import "github.com/prometheus/client_golang/prometheus"

// reading is one value of a source.
type reading[S any] struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(*S) float64
	label []string
}

func total[S any](name, help string, value func(*S) uint64, labels ...string) reading[S] {
	return reading[S]{describe(name, help, labels...), prometheus.CounterValue, func(s *S) float64 { return float64(value(s)) }, nil}
}

func level[S any](name, help string, value func(*S) float64, labels ...string) reading[S] {
	return reading[S]{describe(name, help, labels...), prometheus.GaugeValue, value, nil}
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("calfacade_"+name, help, labels, nil)
}

// labelled returns the parts of a total, each with a value of label.
func labelled[S any](name, help, label string, parts ...part[S]) []reading[S] {
	desc := describe(name, help, label)
	var all []reading[S]
	for _, p := range parts {
		all = append(all, reading[S]{desc, prometheus.CounterValue, func(s *S) float64 { return float64(p.value(s)) }, []string{p.name}})
	}
	return all
}

type part[S any] struct {
	name  string
	value func(*S) uint64
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func collect[S any](out chan<- prometheus.Metric, readings []reading[S], stats *S, labels ...string) {
	for _, r := range readings {
		out <- prometheus.MustNewConstMetric(r.desc, r.kind, r.value(stats), append(labels, r.label...)...)
	}
}
