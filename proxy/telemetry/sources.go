package telemetry

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Sources are parts of the program that count themselves. Each scrape reads them. The
// functions return values of the facade in use. A nil source has no metrics.
type Sources struct {
	Cache *cache.Cache
	Redis *redisstore.Store

	Upstreams func() []upstream.RootStats
	Staging   *staging.Matrix
	Decisions func() (known bool) // nil: this instance decides alone
	Dropped   func() uint64       // comparisons that were dropped because the queue was full
	Targets   func() TargetStats
	Onward    *onward.Deliverer
}

// TargetStats describe the known request targets of a facade.
type TargetStats struct {
	Bytes, Limit uint64 // memory in use, and its limit
	Entries      int
}

// sourceCollector collects the values of the sources in use; none before there are any.
type sourceCollector struct{ sources *atomic.Pointer[Sources] }

// Describe implements [prometheus.Collector].
func (c sourceCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range described {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (c sourceCollector) Collect(out chan<- prometheus.Metric) {
	s := c.sources.Load()
	if s == nil {
		return
	}
	if s.Upstreams != nil {
		for _, u := range s.Upstreams() {
			collect(out, upstreamReadings, &u, u.Root)
		}
	}
	if s.Staging != nil {
		collectStaging(out, s.Staging.Snapshot())
	}
	for _, c := range s.Onward.Couriers() {
		t := c.Status()
		collect(out, onwardReadings, &t, t.Name)
	}
	if s.Decisions != nil {
		known := s.Decisions()
		collect(out, decisionReadings, &known)
	}
	if s.Dropped != nil {
		dropped := s.Dropped()
		collect(out, droppedReadings, &dropped)
	}
	if s.Cache != nil {
		stats := s.Cache.Stats()
		collect(out, cacheReadings, &stats)
	}
	if s.Cache != nil && s.Targets != nil {
		targets := s.Targets()
		collect(out, targetReadings, &targets)
	}
	if s.Redis != nil {
		stats := s.Redis.Stats()
		collect(out, redisReadings, &stats)
	}
}

// collectStaging collects the values of a matrix. Those of cells need a candidate.
func collectStaging(out chan<- prometheus.Metric, s staging.Snapshot) {
	collect(out, matrixReadings, &s)
	if s.Candidate == "" {
		return
	}
	for i := range s.Cells {
		c := &s.Cells[i]
		collect(out, stagedReadings, c, string(c.Op), c.Resource, c.Language)
		if c.Op == staging.Read {
			collect(out, comparedReadings, c, c.Resource, c.Language)
		}
	}
}

// reading is one value of a source.
type reading[S any] struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(*S) float64
	label []string
}

func total[S any](name, help string, value func(*S) uint64, labels ...string) reading[S] {
	return part(describe(name, help, labels...), value)
}

// part returns one series of a total, by the values of its last labels.
func part[S any](desc *prometheus.Desc, value func(*S) uint64, label ...string) reading[S] {
	return reading[S]{desc, prometheus.CounterValue, func(s *S) float64 { return float64(value(s)) }, label}
}

func level[S any](name, help string, value func(*S) float64, labels ...string) reading[S] {
	return reading[S]{describe(name, help, labels...), prometheus.GaugeValue, value, nil}
}

// described are the metrics of all sources.
var described []*prometheus.Desc

func describe(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc("calfacade_"+name, help, labels, nil)
	described = append(described, d)
	return d
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
