package control

import (
	"slices"

	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// Metrics are the metrics of a migration, a [telemetry.Source].
type Metrics struct {
	Matrix  *staging.Matrix
	Fleet   *fleet.Fleet  // nil: this instance decides alone
	Dropped func() uint64 // comparisons that were dropped because the queue was full; nil: nothing is compared
}

// Collect implements [telemetry.Source]: the state of the matrix, and of its cells while there is a candidate. Counts
// include earlier candidates.
func (m Metrics) Collect(out telemetry.Samples) {
	if m.Fleet != nil && m.Fleet.Shared() {
		known := 0.0
		if m.Fleet.Status().Known {
			known = 1
		}
		out.Level("decisions_known", "1 while each request reads the decisions of all instances; 0 while Redis does not answer, "+
			"when writes are refused during a migration.", known)
	}
	if m.Dropped != nil {
		out.Total("staging_dropped_total", "Responses not compared because the queue was full or the rate limit reached.", m.Dropped())
	}
	s := m.Matrix.Snapshot()
	out.Total("staging_rollbacks_total", "Automatic rollbacks of a resource in a language to the legacy.", s.Rollbacks)
	if s.Candidate == "" {
		return
	}
	for i := range s.Cells {
		collectCell(out, &s.Cells[i])
	}
}

// collectCell sends the state of a cell.
func collectCell(out telemetry.Samples, c *staging.Status) {
	compared := []string{"resource", c.Resource, "language", c.Language}
	labels := append(compared, "op", string(c.Op))
	withLabel := func(name, value string) []string { return append(slices.Clip(labels), name, value) }
	out.Level("staging_candidate_percent",
		"Percentage of clients, or of requests without credentials, that the candidate is set to serve.", float64(c.Share()), labels...)
	const answers = "Responses of the candidate to clients, by result."
	out.Total("staging_answers_total", answers, c.Ever.Calls-c.Ever.Failures, withLabel("result", "ok")...)
	out.Total("staging_answers_total", answers, c.Ever.Failures, withLabel("result", "failed")...)
	const requests = "Requests by the backend that was selected for them, without requests of testers. Responses from the cache count."
	out.Total("staging_requests_total", requests, c.Routed.Legacy, withLabel("backend", "legacy")...)
	out.Total("staging_requests_total", requests, c.Routed.Candidate, withLabel("backend", "candidate")...)
	if c.Op == staging.Read {
		const differ = "Compared responses of the two backends, by result."
		out.Total("staging_compared_total", differ, c.Ever.Compared-c.Ever.Different, append(compared, "result", "same")...)
		out.Total("staging_compared_total", differ, c.Ever.Different, append(compared, "result", "different")...)
	}
}
