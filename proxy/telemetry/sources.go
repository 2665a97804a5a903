package telemetry

import (
	"slices"
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
	Decisions func() (version uint64, known bool) // nil: this instance decides alone
	Dropped   func() uint64                       // comparisons that were dropped because the queue was full
	Targets   func() TargetStats
	Onward    *onward.Deliverer
}

// sourceCollector collects the values of the sources in use; none before there are any.
type sourceCollector struct{ sources *atomic.Pointer[Sources] }

// Describe implements [prometheus.Collector].
func (c sourceCollector) Describe(out chan<- *prometheus.Desc) {
	for _, r := range cacheReadings {
		out <- r.desc
	}
	for _, r := range targetReadings {
		out <- r.desc
	}
	for _, r := range redisReadings {
		out <- r.desc
	}
	for _, r := range upstreamReadings {
		out <- r.desc
	}
	for _, r := range slices.Concat(stagedReadings, comparedReadings) {
		out <- r.desc
	}
	for _, r := range droppedReadings {
		out <- r.desc
	}
	for _, r := range matrixReadings {
		out <- r.desc
	}
	for _, r := range decisionReadings {
		out <- r.desc
	}
	for _, r := range onwardReadings {
		out <- r.desc
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
	collectStaging(out, s.Staging)
	collectOnward(out, s.Onward)
	if s.Decisions != nil {
		version, known := s.Decisions()
		collect(out, decisionReadings, &decisionStats{version, known})
	}
	if s.Dropped != nil {
		dropped := s.Dropped()
		collect(out, droppedReadings, &dropped)
	}
	if s.Cache == nil {
		return
	}
	stats := s.Cache.Stats()
	collect(out, cacheReadings, &stats)
	if s.Targets != nil {
		targets := s.Targets()
		collect(out, targetReadings, &targets)
	}
	if s.Redis != nil {
		stats := s.Redis.Stats()
		collect(out, redisReadings, &stats)
	}
}

// One of each root. Roots on one host share its slots.
var upstreamReadings = []reading[upstream.RootStats]{
	level("upstream_breaker_open", "State of a root's circuit breaker: 0 closed, 0.5 half-open, 1 open after failures or at the site's request (Retry-After).", func(u *upstream.RootStats) float64 { return openness[u.State] }, "root"),
	level("upstream_namespace_missing", "1 while the last calls to a root were answered with 404 rest_no_route, as without the calendar plugin.", func(u *upstream.RootStats) float64 { return number(u.NamespaceMissing) }, "root"),
	level("upstream_in_flight", "Calls in flight to the host of a root.", func(u *upstream.RootStats) float64 { return float64(u.InFlight) }, "root"),
	level("upstream_queued", "Calls queued for the host of a root.", func(u *upstream.RootStats) float64 { return float64(u.Queued) }, "root"),
	total("upstream_retries_total", "Retried calls.", func(u *upstream.RootStats) uint64 { return u.Retries }, "root"),
}

var openness = map[upstream.BreakerState]float64{upstream.Closed: 0, upstream.HalfOpen: 0.5, upstream.Open: 1}
