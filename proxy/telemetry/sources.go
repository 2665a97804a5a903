package telemetry

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Sources are parts of the program that count themselves. Each scrape reads them. The
// functions return values of the facade in use. Only Cache and Upstreams are required.
type Sources struct {
	Cache     *cache.Cache
	Upstreams func() []upstream.RootStats

	Redis     *redisstore.Store
	Staging   *staging.Matrix
	Decisions func() (ok bool) // nil: this instance decides alone
	Dropped   func() uint64    // comparisons that were dropped because the queue was full
	Targets   func() uint64    // bytes of the known request targets in memory
	Onward    *onward.Deliverer
}

// Describe implements [prometheus.Collector]. No description is sent: Collect names the metrics.
func (m *Metrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector] for the counters without labels, and for the sources in use.
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	out := samples(ch)
	out.level("build_info", "1; the label is the version of the program.", 1, "version", m.version)
	out.level("config_last_reload_successful",
		"1 if the last load of the configuration succeeded, 0 if it was rejected and the previous configuration is in use.",
		number(m.Reloaded.Load()))
	out.level("requests_in_flight", "Client requests in flight.", float64(m.inFlight.Load()))
	out.total("connections_refused_total", "Connections that were closed since their address had too many.", m.Refused.Load())
	out.total("log_dropped_total", "Log records that were dropped, since what reads the log was too slow or gone.", m.dropped.Load())
	out.total("lane_requests_total", "Client requests that the lane served, which calfacade_requests_total includes.",
		m.Lane.Load())
	out.level("tls_certificate_not_after_timestamp_seconds",
		"End of the validity of the facade's own certificate, in seconds since 1970; 0 without a certificate.",
		float64((*m.certificateEnd.Load())().Unix()))
	out.total("tls_handshakes_closed_total",
		"Connections that their clients closed within the TLS handshake, such as the TCP checks of load balancers.", m.Unshaken.Load())
	if s := m.sources.Load(); s != nil {
		out.sources(s)
	}
}

func (out samples) sources(s *Sources) {
	for _, u := range s.Upstreams() {
		out.root(u)
	}
	out.cache(s.Cache.Stats())
	if s.Staging != nil {
		out.matrix(s.Staging.Snapshot())
	}
	for _, c := range s.Onward.Couriers() {
		out.target(c.Status())
	}
	if s.Decisions != nil {
		out.level("decisions_known", "1 while each request reads the decisions of all instances; 0 while Redis does not answer, "+
			"when writes are refused during a migration.", number(s.Decisions()))
	}
	if s.Dropped != nil {
		out.total("staging_dropped_total", "Responses not compared because the queue was full or the rate limit reached.", s.Dropped())
	}
	if s.Targets != nil {
		out.level("targets_bytes", "Bytes of remembered request targets in memory.", float64(s.Targets()))
	}
	if s.Redis != nil {
		out.redis(s.Redis.Stats())
	}
}

// samples takes the values of one scrape.
type samples chan<- prometheus.Metric

// total sends the value of a counter. labels alternate between names and values.
func (out samples) total(name, help string, n uint64, labels ...string) {
	out.send(prometheus.CounterValue, name, help, float64(n), labels)
}

// level sends the value of a gauge. labels alternate between names and values.
func (out samples) level(name, help string, value float64, labels ...string) {
	out.send(prometheus.GaugeValue, name, help, value, labels)
}

func (out samples) send(kind prometheus.ValueType, name, help string, value float64, labels []string) {
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

func (out samples) cache(s cache.Stats) {
	out.total("cache_fetches_total", "Responses fetched from the site for the cache, including background revalidation.", s.Fetches)
	out.total("cache_purges_total", "Purges that this instance made: by writes and by the admin listener.", s.Purges)
	out.total("cache_evictions_total", "Entries evicted from memory to make room.", s.Evictions)
	out.level("cache_pending_purges", "Purges that Redis has not taken yet: other instances may serve what they replace.",
		float64(s.Pending))
	out.level("cache_bytes", "Bytes of entries in memory.", float64(s.Bytes))
	out.level("cache_limit_bytes", "Maximum bytes of entries in memory.", float64(s.Limit))
	out.level("cache_entries", "Entries in memory.", float64(s.Entries))
}

func (out samples) redis(s redisstore.Stats) {
	const lookups = "Redis lookups by result."
	out.total("redis_lookups_total", lookups, s.Hits, "result", "hit")
	out.total("redis_lookups_total", lookups, s.Gets-min(s.Gets, s.Hits), "result", "miss")
	const errors = "Redis calls that failed (error), timed out (timeout), or were not made because Redis was down (skipped)."
	out.total("redis_errors_total", errors, s.Errors, "kind", "error")
	out.total("redis_errors_total", errors, s.Timeouts, "kind", "timeout")
	out.total("redis_errors_total", errors, s.Skipped, "kind", "skipped")
	out.level("redis_up", "1 while Redis works, 0 while it does not answer or refuses writes.", number(s.Up))
	out.total("redis_log_looks_total", "Looks at the end of the purge log. Requests that wait at the same time share one.", s.Looks)
	out.total("redis_log_followed_total", "Purges read from the purge log.", s.Followed)
	out.total("redis_log_breaks_total", "Gaps in the purge log. After each, older entries are not served.", s.Breaks)
}

var openness = map[upstream.BreakerState]float64{upstream.Closed: 0, upstream.HalfOpen: 0.5, upstream.Open: 1}

// root sends the state of a root. Roots on one host share the host's slots.
func (out samples) root(u upstream.RootStats) {
	out.level("upstream_breaker_open",
		"State of a root's circuit breaker: 0 closed, 0.5 half-open, 1 open after failures or at the site's request (Retry-After).",
		openness[u.State], "root", u.Root)
	out.level("upstream_namespace_missing",
		"1 while the last calls to a root were answered with 404 rest_no_route, as without the calendar plugin.",
		number(u.NamespaceMissing), "root", u.Root)
	out.level("upstream_in_flight", "Calls in flight to the host of a root.", float64(u.InFlight), "root", u.Root)
	out.level("upstream_queued", "Calls queued for the host of a root.", float64(u.Queued), "root", u.Root)
}

// target sends the state of a target of purges.
func (out samples) target(s onward.Status) {
	out.level("onward_lag_seconds", "Age of the oldest purge that this instance has made or read and a target may not have.",
		s.Lag, "target", s.Name)
	out.level("onward_refused", "Deliveries that a target has refused for good and nobody has sent again.",
		float64(s.Refused), "target", s.Name)
}

// matrix sends the state of the staging matrix, and of its cells while there is a candidate. Counts include
// earlier candidates.
func (out samples) matrix(s staging.Snapshot) {
	out.total("staging_rollbacks_total", "Automatic rollbacks of a resource in a language to the legacy.", s.Rollbacks)
	if s.Candidate == "" {
		return
	}
	for i := range s.Cells {
		out.cell(&s.Cells[i])
	}
}

func (out samples) cell(c *staging.Status) {
	compared := []string{"resource", c.Resource, "language", c.Language}
	labels := append(compared, "op", string(c.Op))
	withLabel := func(name, value string) []string { return append(slices.Clip(labels), name, value) }
	out.level("staging_candidate_percent",
		"Percentage of clients, or of requests without credentials, that the candidate is set to serve.", float64(c.Share()), labels...)
	const answers = "Responses of the candidate to clients, by result."
	out.total("staging_answers_total", answers, c.Ever.Calls-c.Ever.Failures, withLabel("result", "ok")...)
	out.total("staging_answers_total", answers, c.Ever.Failures, withLabel("result", "failed")...)
	const requests = "Requests by the backend that was selected for them, without requests of testers. Responses from the cache count."
	out.total("staging_requests_total", requests, c.Routed.Legacy, withLabel("backend", "legacy")...)
	out.total("staging_requests_total", requests, c.Routed.Candidate, withLabel("backend", "candidate")...)
	if c.Op == staging.Read {
		const differ = "Compared responses of the two backends, by result."
		out.total("staging_compared_total", differ, c.Ever.Compared-c.Ever.Different, append(compared, "result", "same")...)
		out.total("staging_compared_total", differ, c.Ever.Different, append(compared, "result", "different")...)
	}
}
