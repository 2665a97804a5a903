package telemetry

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// TargetStats describe the known request targets of a facade.
type TargetStats struct {
	Bytes, Limit uint64 // memory in use, and its limit
	Entries      int
}

// Sources are parts of the program that count themselves. Each scrape reads them. The
// functions return values of the facade in use. A nil source has no metrics.
type Sources struct {
	Cache *cache.Cache
	Redis *redisstore.Store

	Upstreams func() []upstream.RootStats
	Staging   *staging.Matrix
	Dropped   func() uint64 // comparisons that were dropped because the queue was full
	Targets   func() TargetStats
}

// Watched returns the sources; nil before the first Watch.
func (m *Metrics) Watched() *Sources { return m.sources.Load() }

// Watch replaces the sources.
func (m *Metrics) Watch(s Sources) {
	if s.Upstreams != nil {
		for _, u := range s.Upstreams() {
			m.countCalls(u.Root)
		}
	}
	m.sources.Store(&s)
}

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

type (
	cacheStats = cache.Stats
	redisStats = redisstore.Stats
)

var cacheReadings = append(
	labelled("cache_lookups_total", "Cache lookups by result: fresh (hit), stale, nothing that may be served at once (miss), or a response that must not be shared (pass).", "result",
		part[cacheStats]{"hit", func(s *cacheStats) uint64 { return s.Hits }},
		part[cacheStats]{"stale", func(s *cacheStats) uint64 { return s.Stale }},
		part[cacheStats]{"miss", func(s *cacheStats) uint64 { return s.Misses }},
		part[cacheStats]{"pass", func(s *cacheStats) uint64 { return s.Passes }}),
	total("cache_fetches_total", "Responses fetched from the site for the cache, including background revalidation.", func(s *cacheStats) uint64 { return s.Fetches }),
	total("cache_collapsed_total", "Requests served by the fetch of a concurrent request.", func(s *cacheStats) uint64 { return s.Collapsed }),
	total("cache_purges_total", "Purges that this instance made: by writes and by the admin listener.", func(s *cacheStats) uint64 { return s.Purges }),
	total("cache_evictions_total", "Entries evicted from memory to make room.", func(s *cacheStats) uint64 { return s.Evictions }),
	total("cache_foreign_total", "Entries in Redis that are damaged or of another version, and were ignored.", func(s *cacheStats) uint64 { return s.Foreign }),
	level("cache_doubts", "Writes with unknown outcome. Responses that they may affect are served for at most a second.", func(s *cacheStats) float64 { return float64(s.Doubts) }),
	level("cache_bytes", "Bytes of entries in memory.", func(s *cacheStats) float64 { return float64(s.Bytes) }),
	level("cache_negative_bytes", "Bytes in memory of negative entries (not found), included in calfacade_cache_bytes.", func(s *cacheStats) float64 { return float64(s.Negative) }),
	level("cache_limit_bytes", "Maximum bytes of entries in memory.", func(s *cacheStats) float64 { return float64(s.Limit) }),
	level("cache_entries", "Entries in memory.", func(s *cacheStats) float64 { return float64(s.Entries) }),
)

// Known targets of the facade in use.
var targetReadings = []reading[TargetStats]{
	level("targets", "Remembered request targets, which are not parsed again.", func(s *TargetStats) float64 { return float64(s.Entries) }),
	level("targets_bytes", "Bytes of remembered request targets in memory.", func(s *TargetStats) float64 { return float64(s.Bytes) }),
	level("targets_limit_bytes", "Maximum bytes of remembered request targets.", func(s *TargetStats) float64 { return float64(s.Limit) }),
}

var redisReadings = append(append(
	labelled("redis_lookups_total", "Redis lookups by result.", "result",
		part[redisStats]{"hit", func(s *redisStats) uint64 { return s.Hits }},
		part[redisStats]{"miss", func(s *redisStats) uint64 { return s.Gets - min(s.Gets, s.Hits) }}),
	labelled("redis_errors_total", "Redis calls that failed (error), timed out (timeout), or were not made because the breaker was open (skipped).", "kind",
		part[redisStats]{"error", func(s *redisStats) uint64 { return s.Errors }},
		part[redisStats]{"timeout", func(s *redisStats) uint64 { return s.Timeouts }},
		part[redisStats]{"skipped", func(s *redisStats) uint64 { return s.Skipped }})...),
	level("redis_up", "1 while the Redis breaker is closed, 0 while it is open.", func(s *redisStats) float64 { return number(s.Up) }),
	total("redis_breaker_trips_total", "Times that the Redis breaker opened.", func(s *redisStats) uint64 { return s.Trips }),
	total("redis_breaker_probes_total", "Probes of Redis while its breaker was open.", func(s *redisStats) uint64 { return s.Probes }),
	total("redis_stores_total", "Entries sent to Redis.", func(s *redisStats) uint64 { return s.Puts }),
	total("redis_store_errors_total", "Entries that could not be stored in Redis.", func(s *redisStats) uint64 { return s.PutErrors }),
	total("redis_log_appends_total", "Purges appended to the purge log that all instances share.", func(s *redisStats) uint64 { return s.Appends }),
	total("redis_log_append_errors_total", "Purges whose first append to the log failed.", func(s *redisStats) uint64 { return s.AppendErrors }),
	total("redis_log_unconfirmed_total", "Purges that another instance had not acknowledged by the end of cache.purge_wait.", func(s *redisStats) uint64 { return s.Unacknowledged }),
	level("redis_log_followers", "Instances that follow the purge log, including this one.", func(s *redisStats) float64 { return float64(s.Followers) }),
	total("redis_log_followed_total", "Purges read from the purge log.", func(s *redisStats) uint64 { return s.Followed }),
	total("redis_log_breaks_total", "Gaps in the purge log. After each, older entries are not served.", func(s *redisStats) uint64 { return s.Breaks }),
	total("redis_log_losses_total", "Failed reads of the purge log.", func(s *redisStats) uint64 { return s.Losses }),
)

// One of each root. Roots on one host share its slots.
var upstreamReadings = []reading[upstream.RootStats]{
	level("upstream_breaker_open", "State of a root's circuit breaker: 0 closed, 0.5 half-open, 1 open after failures or at the site's request (Retry-After).", func(u *upstream.RootStats) float64 { return openness[u.State] }, "root"),
	level("upstream_namespace_missing", "1 while the last calls to a root were answered with 404 rest_no_route, as without the calendar plugin.", func(u *upstream.RootStats) float64 { return number(u.NamespaceMissing) }, "root"),
	level("upstream_in_flight", "Calls in flight to the host of a root.", func(u *upstream.RootStats) float64 { return float64(u.InFlight) }, "root"),
	level("upstream_queued", "Calls queued for the host of a root.", func(u *upstream.RootStats) float64 { return float64(u.Queued) }, "root"),
	level("upstream_kept_away", "Clients whose breaker is open for a root, because too many of their own calls failed.", func(u *upstream.RootStats) float64 { return float64(u.OpenClients) }, "root"),
	total("upstream_retries_total", "Retried calls.", func(u *upstream.RootStats) uint64 { return u.Retries }, "root"),
}

var openness = map[upstream.BreakerState]float64{upstream.Closed: 0, upstream.HalfOpen: 0.5, upstream.Open: 1}

// logLag is a value of the cache, which follows the log; only with Redis.
var logLag = describe("redis_log_lag_seconds", "Time since this instance last caught up with the purge log; +Inf before the first time.")

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// sourceCollector collects the values of the sources.
type sourceCollector struct{ metrics *Metrics }

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
	out <- logLag
}

// Collect implements [prometheus.Collector].
func (c sourceCollector) Collect(out chan<- prometheus.Metric) {
	s := c.metrics.sources.Load()
	if s == nil {
		return
	}
	if s.Upstreams != nil {
		for _, u := range s.Upstreams() {
			collect(out, upstreamReadings, &u, u.Root)
		}
	}
	collectStaging(out, s.Staging)
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
		out <- prometheus.MustNewConstMetric(logLag, prometheus.GaugeValue, s.Cache.LogLag(time.Now()))
	}
}

func collect[S any](out chan<- prometheus.Metric, readings []reading[S], stats *S, labels ...string) {
	for _, r := range readings {
		out <- prometheus.MustNewConstMetric(r.desc, r.kind, r.value(stats), append(labels, r.label...)...)
	}
}
