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

// A type of package cache or another, for short rows.
type (
	cached = cache.Stats
	redis  = redisstore.Stats
	root   = upstream.RootStats
	target = onward.Status
	cell   = staging.Status
)

var openness = map[upstream.BreakerState]float64{upstream.Closed: 0, upstream.HalfOpen: 0.5, upstream.Open: 1}

// Metrics whose parts have labels of their own.
var (
	redisLookups = describe("redis_lookups_total", "Redis lookups by result.", "result")
	redisErrors  = describe("redis_errors_total",
		"Redis calls that failed (error), timed out (timeout), or were not made because Redis was down (skipped).", "kind")
	onwardDeliveries = describe("onward_deliveries_total",
		"Deliveries of one or more purges to a target, by result: ok, failed (tried again) or refused (not tried again).", "target",
		"result")
	stagingAnswers = describe("staging_answers_total", "Responses of the candidate to clients, by result.",
		"op", "resource", "language", "result")
	stagingRequests = describe("staging_requests_total",
		"Requests by the backend that was selected for them, without requests of testers. Responses from the cache count.",
		"op", "resource", "language", "backend")
	stagingCompared = describe("staging_compared_total", "Compared responses of the two backends, by result.",
		"resource", "language", "result")
)

var cacheReadings = []reading[cached]{
	total("cache_fetches_total", "Responses fetched from the site for the cache, including background revalidation.",
		func(s *cached) uint64 { return s.Fetches }),
	total("cache_purges_total", "Purges that this instance made: by writes and by the admin listener.",
		func(s *cached) uint64 { return s.Purges }),
	total("cache_evictions_total", "Entries evicted from memory to make room.", func(s *cached) uint64 { return s.Evictions }),
	level("cache_pending_purges", "Purges that Redis has not taken yet: other instances may serve what they replace.",
		func(s *cached) float64 { return float64(s.Pending) }),
	level("cache_bytes", "Bytes of entries in memory.", func(s *cached) float64 { return float64(s.Bytes) }),
	level("cache_limit_bytes", "Maximum bytes of entries in memory.", func(s *cached) float64 { return float64(s.Limit) }),
	level("cache_entries", "Entries in memory.", func(s *cached) float64 { return float64(s.Entries) }),
}

// Known targets of the facade in use.
var targetReadings = []reading[TargetStats]{
	level("targets_bytes", "Bytes of remembered request targets in memory.", func(s *TargetStats) float64 { return float64(s.Bytes) }),
}

var redisReadings = []reading[redis]{
	part(redisLookups, func(s *redis) uint64 { return s.Hits }, "hit"),
	part(redisLookups, func(s *redis) uint64 { return s.Gets - min(s.Gets, s.Hits) }, "miss"),
	part(redisErrors, func(s *redis) uint64 { return s.Errors }, "error"),
	part(redisErrors, func(s *redis) uint64 { return s.Timeouts }, "timeout"),
	part(redisErrors, func(s *redis) uint64 { return s.Skipped }, "skipped"),
	level("redis_up", "1 while Redis works, 0 while it does not answer or refuses writes.", func(s *redis) float64 { return number(s.Up) }),
	total("redis_log_looks_total", "Looks at the end of the purge log. Requests that wait at the same time share one.",
		func(s *redis) uint64 { return s.Looks }),
	total("redis_log_followed_total", "Purges read from the purge log.", func(s *redis) uint64 { return s.Followed }),
	total("redis_log_breaks_total", "Gaps in the purge log. After each, older entries are not served.",
		func(s *redis) uint64 { return s.Breaks }),
}

// One of each root. Roots on one host share its slots.
var upstreamReadings = []reading[root]{
	level("upstream_breaker_open",
		"State of a root's circuit breaker: 0 closed, 0.5 half-open, 1 open after failures or at the site's request (Retry-After).",
		func(u *root) float64 { return openness[u.State] }, "root"),
	level("upstream_namespace_missing",
		"1 while the last calls to a root were answered with 404 rest_no_route, as without the calendar plugin.",
		func(u *root) float64 { return number(u.NamespaceMissing) }, "root"),
	level("upstream_in_flight", "Calls in flight to the host of a root.", func(u *root) float64 { return float64(u.InFlight) }, "root"),
	level("upstream_queued", "Calls queued for the host of a root.", func(u *root) float64 { return float64(u.Queued) }, "root"),
}

// One of each target of purges.
var onwardReadings = []reading[target]{
	part(onwardDeliveries, func(s *target) uint64 { return s.Done }, "ok"),
	part(onwardDeliveries, func(s *target) uint64 { return s.Failed }, "failed"),
	part(onwardDeliveries, func(s *target) uint64 { return s.Rejected }, "refused"),
	level("onward_lag_seconds", "Age of the oldest purge that this instance has made or read and a target may not have.",
		func(s *target) float64 { return s.Lag }, "target"),
	level("onward_refused", "Deliveries that a target has refused for good and nobody has sent again.",
		func(s *target) float64 { return float64(s.Refused) }, "target"),
}

// One of each cell of the matrix, while there is a candidate. Counts include earlier
// candidates.
var stagedReadings = []reading[cell]{
	level("staging_candidate_percent", "Percentage of clients, or of requests without credentials, that the candidate is set to serve.",
		func(c *cell) float64 { return float64(c.Share()) }, "op", "resource", "language"),
	part(stagingAnswers, func(c *cell) uint64 { return c.Ever.Calls - c.Ever.Failures }, "ok"),
	part(stagingAnswers, func(c *cell) uint64 { return c.Ever.Failures }, "failed"),
	part(stagingRequests, func(c *cell) uint64 { return c.Routed.Legacy }, "legacy"),
	part(stagingRequests, func(c *cell) uint64 { return c.Routed.Candidate }, "candidate"),
}

// One of each cell of reads.
var comparedReadings = []reading[cell]{
	part(stagingCompared, func(c *cell) uint64 { return c.Ever.Compared - c.Ever.Different }, "same"),
	part(stagingCompared, func(c *cell) uint64 { return c.Ever.Different }, "different"),
}

var matrixReadings = []reading[staging.Snapshot]{
	total("staging_rollbacks_total", "Automatic rollbacks of a resource in a language to the legacy.",
		func(s *staging.Snapshot) uint64 { return s.Rollbacks }),
}

var decisionReadings = []reading[bool]{
	level("decisions_known", "1 while each request reads the decisions of all instances; 0 while Redis does not answer, "+
		"when writes are refused during a migration.", func(known *bool) float64 { return number(*known) }),
}

var droppedReadings = []reading[uint64]{
	total("staging_dropped_total", "Responses not compared because the queue was full or the rate limit reached.",
		func(n *uint64) uint64 { return *n }),
}

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

// collectStaging collects the values of a matrix. Values of cells need a candidate.
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
