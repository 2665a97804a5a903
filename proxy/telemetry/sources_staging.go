package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/calfacade/calfacade/proxy/staging"
)

type staged = staging.Status

// One of each cell of the matrix, while there is a candidate. Counts include earlier
// candidates.
var stagedReadings = []reading[staged]{
	level("staging_differs", "1 where the state is not that of the configuration of this instance.", func(p *staged) float64 { return number(p.File != nil) }, "op", "resource", "language"),
	level("staging_candidate_percent", "Percentage of clients, or of requests without credentials, that the candidate is set to serve.", func(p *staged) float64 { return float64(p.Share()) }, "op", "resource", "language"),
	{stagingAnswers, prometheus.CounterValue, func(p *staged) float64 { return float64(p.Ever.Calls - p.Ever.Failures) }, []string{"ok"}},
	{stagingAnswers, prometheus.CounterValue, func(p *staged) float64 { return float64(p.Ever.Failures) }, []string{"failed"}},
	{stagingRequests, prometheus.CounterValue, func(p *staged) float64 { return float64(p.Routed.Legacy) }, []string{"legacy"}},
	{stagingRequests, prometheus.CounterValue, func(p *staged) float64 { return float64(p.Routed.Candidate) }, []string{"candidate"}},
}

// One of each cell of reads.
var comparedReadings = []reading[staged]{
	{stagingCompared, prometheus.CounterValue, func(p *staged) float64 { return float64(p.Ever.Compared - p.Ever.Different) }, []string{"same"}},
	{stagingCompared, prometheus.CounterValue, func(p *staged) float64 { return float64(p.Ever.Different) }, []string{"different"}},
}

var matrixReadings = []reading[staging.Snapshot]{
	total("staging_rollbacks_total", "Automatic rollbacks of a resource in a language to the legacy.", func(s *staging.Snapshot) uint64 { return s.Rollbacks }),
}

type decisionStats struct {
	version uint64
	known   bool
}

var decisionReadings = []reading[decisionStats]{
	level("decisions_version", "Version of the decisions of all instances that this one follows.", func(d *decisionStats) float64 { return float64(d.version) }),
	level("decisions_known", "1 while each request reads the decisions of all instances; 0 while Redis does not answer, when writes are refused during a migration.", func(d *decisionStats) float64 { return number(d.known) }),
}

var droppedReadings = []reading[uint64]{
	total("staging_dropped_total", "Responses not compared because the queue was full or the rate limit reached.", func(n *uint64) uint64 { return *n }),
}

var (
	stagingAnswers  = describe("staging_answers_total", "Responses of the candidate to clients, by result.", "op", "resource", "language", "result")
	stagingRequests = describe("staging_requests_total", "Requests by the backend that was selected for them, without those of testers. Responses from the cache count.", "op", "resource", "language", "backend")
	stagingCompared = describe("staging_compared_total", "Compared responses of the two backends, by result.", "resource", "language", "result")
)

// collectStaging collects the values of a matrix. Those of cells need a candidate.
func collectStaging(out chan<- prometheus.Metric, m *staging.Matrix) {
	if m == nil {
		return
	}
	s := m.Snapshot()
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
