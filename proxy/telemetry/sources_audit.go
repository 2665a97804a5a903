package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/calfacade/calfacade/proxy/audit"
)

type auditStats = audit.Stats

// While answers are audited. Counts include those before a reload.
var auditReadings = []reading[auditStats]{
	total("audit_audited_total", "Answers from the cache that were compared with the site.", func(s *auditStats) uint64 { return s.Audited }),
	level("audit_oldest_stale_seconds", "Age of the oldest response that an audit found stale and that is still served; 0 without one.", func(s *auditStats) float64 { return s.Oldest.Seconds() }),
	level("audit_undecided", "Stale answers whose cause is not decided yet: their purge may come.", func(s *auditStats) float64 { return float64(s.Undecided()) }),
	{auditShare, prometheus.GaugeValue, func(s *auditStats) float64 { return s.Day.PerMillion }, []string{"estimate"}},
	{auditShare, prometheus.GaugeValue, func(s *auditStats) float64 { return s.Day.Low }, []string{"low"}},
	{auditShare, prometheus.GaugeValue, func(s *auditStats) float64 { return s.Day.High }, []string{"high"}},
}

var (
	auditShare   = describe("audit_stale_per_million", "Stale answers in a million from the cache, of the audits of the last 24 hours: the estimate, and the bounds (low, high) of the 95 % Wilson score interval.", "value")
	auditStale   = describe("audit_stale_total", "Audited answers that were not what the site said, by cause.", "cause")
	auditSkipped = describe("audit_skipped_total", "Samples without a result: the entry changed meanwhile (changed), it is almost midnight (clock), too many findings are open (full), or the site had no slot or failed (unread).", "reason")
)

func describeAudit(out chan<- *prometheus.Desc) {
	for _, r := range auditReadings[:3] {
		out <- r.desc
	}
	out <- auditShare
	out <- auditStale
	out <- auditSkipped
}

// collectAudit collects the results of audits. Each cause counts from zero.
func collectAudit(out chan<- prometheus.Metric, l *audit.Ledger) {
	if l == nil {
		return
	}
	s := l.Stats(time.Now())
	collect(out, auditReadings, &s)
	for _, c := range audit.Causes {
		out <- prometheus.MustNewConstMetric(auditStale, prometheus.CounterValue, float64(s.Causes[c]), string(c))
	}
	for _, why := range audit.Skips {
		out <- prometheus.MustNewConstMetric(auditSkipped, prometheus.CounterValue, float64(s.Skipped[why]), string(why))
	}
}
