package telemetry

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Sources are parts of the program that count themselves. Each scrape reads them. The
// functions return values of the facade in use. Only Cache and Upstreams are required.
type Sources struct {
	Cache     *cache.Cache
	Upstreams func() []upstream.RootStats

	Redis   *redisstore.Store
	Staging Source        // of a migration
	Targets func() uint64 // bytes of the known request targets in memory
	Onward  *onward.Deliverer
}

// Source is a part of the program that names and reads its own metrics.
type Source interface {
	Collect(out Samples)
}

// Describe implements [prometheus.Collector]. No description is sent: Collect names the metrics.
func (m *Metrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector] for the counters without labels, and for the sources in use.
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	out := Samples(ch)
	out.Level("build_info", "1; the label is the version of the program.", 1, "version", m.version)
	out.Level("config_last_reload_successful",
		"1 if the last load of the configuration succeeded, 0 if it was rejected and the previous configuration is in use.",
		number(m.Reloaded.Load()))
	out.Level("requests_in_flight", "Client requests in flight.", float64(m.inFlight.Load()))
	out.Total("connections_refused_total", "Connections that were closed since their address had too many.", m.Refused.Load())
	out.Total("log_dropped_total", "Log records that were dropped, since what reads the log was too slow or gone.", m.dropped.Load())
	out.Total("lane_requests_total", "Client requests that the lane served, which calfacade_requests_total includes.",
		m.Lane.Load())
	out.Level("tls_certificate_not_after_timestamp_seconds",
		"End of the validity of the facade's own certificate, in seconds since 1970; 0 without a certificate.",
		float64((*m.certificateEnd.Load())().Unix()))
	out.Total("tls_handshakes_closed_total",
		"Connections that their clients closed within the TLS handshake, such as the TCP checks of load balancers.", m.Unshaken.Load())
	s := m.sources.Load()
	if s != nil {
		out.sources(s)
	}
}

func (out Samples) sources(s *Sources) {
	for _, u := range s.Upstreams() {
		out.root(u)
	}
	out.cache(s.Cache.Stats())
	if s.Staging != nil {
		s.Staging.Collect(out)
	}
	for _, c := range s.Onward.Couriers() {
		out.target(c.Status())
	}
	if s.Targets != nil {
		out.Level("targets_bytes", "Bytes of remembered request targets in memory.", float64(s.Targets()))
	}
	if s.Redis != nil {
		out.redis(s.Redis.Stats())
	}
}

// Samples takes the values of one scrape.
type Samples chan<- prometheus.Metric

// Total sends the value of a counter. labels alternate between names and values.
func (out Samples) Total(name, help string, n uint64, labels ...string) {
	out.send(prometheus.CounterValue, name, help, float64(n), labels)
}

// Level sends the value of a gauge. labels alternate between names and values.
func (out Samples) Level(name, help string, value float64, labels ...string) {
	out.send(prometheus.GaugeValue, name, help, value, labels)
}

func (out Samples) send(kind prometheus.ValueType, name, help string, value float64, labels []string) {
	var names, values []string
	for label := range slices.Chunk(labels, 2) {
		names = append(names, label[0])
		values = append(values, label[1])
	}
	out <- prometheus.MustNewConstMetric(prometheus.NewDesc("calfacade_"+name, help, names, nil), kind, value, values...)
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (out Samples) cache(s cache.Stats) {
	out.Total("cache_fetches_total", "Responses fetched from the site for the cache, including background revalidation.", s.Fetches)
	out.Total("cache_purges_total", "Purges that this instance made: by writes and by the admin listener.", s.Purges)
	out.Total("cache_evictions_total", "Entries evicted from memory to make room.", s.Evictions)
	out.Level("cache_pending_purges", "Purges that Redis has not taken yet: other instances may serve what they replace.",
		float64(s.Pending))
	out.Level("cache_bytes", "Bytes of entries in memory.", float64(s.Bytes))
	out.Level("cache_limit_bytes", "Maximum bytes of entries in memory.", float64(s.Limit))
	out.Level("cache_entries", "Entries in memory.", float64(s.Entries))
}

func (out Samples) redis(s redisstore.Stats) {
	const lookups = "Redis lookups by result."
	out.Total("redis_lookups_total", lookups, s.Hits, "result", "hit")
	out.Total("redis_lookups_total", lookups, s.Gets-min(s.Gets, s.Hits), "result", "miss")
	const errors = "Redis calls that failed (error), timed out (timeout), or were not made because Redis was down (skipped)."
	out.Total("redis_errors_total", errors, s.Errors, "kind", "error")
	out.Total("redis_errors_total", errors, s.Timeouts, "kind", "timeout")
	out.Total("redis_errors_total", errors, s.Skipped, "kind", "skipped")
	out.Level("redis_up", "1 while Redis works, 0 while it does not answer or refuses writes.", number(s.Up))
	out.Total("redis_log_reads_total", "Reads of the purge log to its end. Requests that wait at the same time share one.", s.LogReads)
	out.Total("redis_log_followed_total", "Purges read from the purge log.", s.Followed)
	out.Total("redis_log_breaks_total", "Gaps in the purge log. After each, older entries are not served.", s.Breaks)
}

var openness = map[upstream.BreakerState]float64{upstream.Closed: 0, upstream.HalfOpen: 0.5, upstream.Open: 1}

// root sends the state of a root. Roots on one host share the host's slots.
func (out Samples) root(u upstream.RootStats) {
	out.Level("upstream_breaker_open",
		"State of a root's circuit breaker: 0 closed, 0.5 half-open, 1 open after failures or at the site's request (Retry-After).",
		openness[u.State], "root", u.Root)
	out.Level("upstream_namespace_missing",
		"1 while the last calls to a root were answered with 404 rest_no_route, as without the calendar plugin.",
		number(u.NamespaceMissing), "root", u.Root)
	out.Level("upstream_in_flight", "Calls in flight to the host of a root.", float64(u.InFlight), "root", u.Root)
	out.Level("upstream_queued", "Calls queued for the host of a root.", float64(u.Queued), "root", u.Root)
}

// target sends the state of a target of purges.
func (out Samples) target(s onward.Status) {
	out.Level("onward_lag_seconds", "Age of the oldest purge that this instance has made or read and a target may not have.",
		s.Lag, "target", s.Name)
	out.Level("onward_refused", "Deliveries that a target has refused for good and nobody has sent again.",
		float64(s.Refused), "target", s.Name)
}
